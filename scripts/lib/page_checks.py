"""The explorer (kir-layout page) in a headless Chromium: edit, click, read owners, swizzle view, keyboard, bad layouts, large tensors.
Screenshots go to <build>/page/. Without Chromium, its driver, or a page in the tool the checks are skipped.
"""
import contextlib
import pathlib
import shutil
import tempfile
import time

from tally import Skip, demand, run


@contextlib.contextmanager
def explorer(tools, build, *options, size=(1440, 1400), arguments=None):
    """The page in a browser of its own. `arguments`: of `kir-layout print`, what the page shows first."""
    binary = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        raise Skip("Chromium and chromedriver are not installed")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise Skip("selenium is not installed (scripts/setup)") from None
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        command = ["print", *arguments, "--html", page] if arguments else ["page", page]
        code, output = run([tools.path("kir-layout"), *command])
        if "built without its page" in output:
            raise Skip("kir-layout was built without WebAssembly")
        demand(code == 0, output)
        settings = Options()
        settings.binary_location = binary
        for o in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                  f"--user-data-dir={folder}/profile", f"--window-size={size[0]},{size[1]}", *options):
            settings.add_argument(o)
        settings.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(options=settings, service=Service(driver))
        try:
            browser.set_page_load_timeout(60)
            browser.get(page.as_uri())
            yield Page(browser, pathlib.Path(build) / "page")
        finally:
            browser.quit()


class Page:
    def __init__(self, browser, screenshots):
        self.browser, self.screenshots = browser, screenshots
        self.wait(lambda: self.one("body").get_attribute("data-ready"), "the page does not get ready")

    def wait(self, condition, what):
        end = time.monotonic() + 20
        while not condition():
            demand(time.monotonic() < end, f"{what}: {self.browser.get_log('browser')}")
            time.sleep(0.05)

    def one(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def text(self, selector):
        return self.one(selector).text

    def choose(self, select, value):
        from selenium.webdriver.support.ui import Select
        Select(self.one(select)).select_by_visible_text(value)

    def write(self, field, text):
        from selenium.webdriver.common.keys import Keys
        self.one(field).send_keys(Keys.CONTROL, "a")
        self.one(field).send_keys(text)

    def cell(self, grid, row, col):
        return self.one(f'{grid} td[data-row="{row}"][data-col="{col}"]')

    def owners(self):
        """The rows of the table of owners, as lists of numbers."""
        return [[int(td.text) for td in tr.find_elements("css selector", "td")] for tr in self.all("#owners tr")[1:]]

    def verdicts(self):
        return {li.get_attribute("data-claim"): li.find_element("css selector", ".verdict").text for li in self.all("#claims li")}

    def picture(self, name):
        self.screenshots.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(self.screenshots / f"{name}.png"))

    def quiet(self):
        """Neither errors nor requests."""
        log = [entry for entry in self.browser.get_log("browser") if "favicon" not in entry["message"]]
        demand(not log, f"the browser complains: {log}")
        fetched = self.browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
        demand(not fetched, f"the page fetched {fetched}")


def equal(what, found, expected):
    demand(found == expected, f"{what}: expected {expected}, found {found}")


def owners(page):
    page.cell("#logical", 7, 15).click()
    equal("title", page.text("#element-title"), "Element (7, 15)")
    equal("owners", page.owners(), [[31, 6, 1], [31, 10, 1]])
    demand("flat\n127\ndigits\n(7, 1, 3, 1)" in page.text("#element"), page.text("#element"))
    picked = {(td.get_attribute("data-row"), td.get_attribute("data-col")) for td in page.all("#physical td.picked")}
    equal("places picked", picked, {("6", "31"), ("10", "31")})
    page.cell("#physical", 9, 4).click()  # a place leads back to its element
    equal("element of a place", page.text("#element-title"), "Element (1, 0)")
    equal("what the screen reader hears", page.one("#status").get_attribute("textContent"),
          "Element (1, 0): laneid 4, warpid 5, m 0; laneid 4, warpid 9, m 0")
    page.picture("tensor-core-tile")


def edit(page):
    page.write("#layout", "S[(8,2,4,2):(4@laneid,1@warp,1@laneid,1)]")
    error = page.text("#layout-error")
    demand("there is no axis 'warp'; the nearest name is 'warpid'" in error, error)
    equal("marked character", page.text("#layout-error mark"), "w")
    equal("invalid", page.one("#layout").get_attribute("aria-invalid"), "true")
    page.picture("error")
    page.write("#layout", "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]")
    equal("error", page.text("#layout-error"), "")
    equal("case", page.one("#preset").get_attribute("value"), "own")
    page.write("#shape", "16, 9")
    demand("the shape has 144 elements and the layout 128" in page.text("#shape-error"), page.text("#shape-error"))
    page.write("#shape", "(4, 32)")
    equal("error", page.text("#shape-error"), "")
    page.cell("#logical", 3, 31).click()
    equal("owners", page.owners(), [[31, 1, 1]])
    # Size symbols ask for values.
    page.write("#layout", "S[(N,2):(2@m,1@m)]")
    demand("N needs a value" in page.text("#sizes-error"), page.text("#sizes-error"))
    page.write("#shape", "N, 2")
    page.write("#sizes", "N=5")
    equal("error", page.text("#sizes-error"), "")
    equal("rows", len(page.all("#logical tbody tr")), 5)


def swizzle(page):
    page.choose("#preset", "128B swizzle, 16-bit")
    page.cell("#logical", 0, 1).click()
    demand("free of bank conflicts" in page.text("#access-verdict"), page.text("#access-verdict"))
    equal("words read", len(page.all("#physical td.touched")), 32)
    equal("conflicts", len(page.all("#physical td.conflict")), 0)
    columns = {td.get_attribute("data-col") for td in page.all("#physical td.touched")}
    equal("banks read", len(columns), 32)
    equal("a bank cell shows all elements of its word", page.cell("#physical", 1, 4).text.split(), ["1,0", "1,1"])
    page.picture("swizzle-128B")
    page.choose("#mode", "none")
    demand("8-way bank conflict in banks 0, 1, 2, 3" in page.text("#access-verdict"), page.text("#access-verdict"))
    equal("conflicts", len(page.all("#physical td.conflict")), 32)
    page.picture("swizzle-none")
    for mode, dtype, inside in (("64B", "8 bits (f8, s8, u8)", 4), ("32B", "32 bits (f32, tf32)", 1), ("128B", "4 bits (f4e2m1, s4)", 8)):
        page.choose("#mode", mode)
        page.choose("#dtype", dtype)
        equal(f"elements in a cell with {dtype}", len(page.cell("#physical", 0, 0).text.split()), inside)
    page.choose("#access", "32 rows × 1 element")
    demand(page.text("#access-verdict"), "no verdict on the access")


def keyboard(page):
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        for key in keys:
            page.browser.switch_to.active_element.send_keys(key)

    def focused():
        cell = page.browser.switch_to.active_element
        return cell.get_attribute("data-row"), cell.get_attribute("data-col")

    equal("tab stops of the grid", len(page.all("#logical td[tabindex='0']")), 1)
    page.one("#colour").send_keys(Keys.TAB)
    equal("focus", focused(), ("0", "0"))
    press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    equal("focus", focused(), ("1", "2"))
    outline = page.browser.switch_to.active_element.value_of_css_property("outline-style")
    equal("visible focus", outline, "solid")
    press(Keys.ENTER)
    equal("picked", page.text("#element-title"), "Element (1, 2)")
    equal("focus stays", focused(), ("1", "2"))
    press(Keys.END, Keys.SPACE)
    equal("picked", page.text("#element-title"), "Element (1, 15)")
    press(Keys.ARROW_RIGHT)
    equal("focus at the edge", focused(), ("1", "15"))
    press(Keys.HOME, Keys.PAGE_DOWN)
    equal("focus", focused(), ("7", "0"))
    label = page.browser.switch_to.active_element.get_attribute("aria-label")
    equal("label", label, "element (7, 0): laneid 28, warpid 5 and 9, m 0")
    press(Keys.TAB)
    while page.browser.switch_to.active_element.get_attribute("role") != "gridcell":
        press(Keys.TAB)
    press(Keys.ARROW_RIGHT, Keys.ENTER)  # in the places
    equal("focus", page.browser.switch_to.active_element.get_attribute("role"), "gridcell")
    demand(page.one("#physical td.picked"), "nothing is picked")


def bad_layout(page):
    page.choose("#preset", "A bad layout")
    verdicts = page.verdicts()
    equal("verdict", (verdicts["exclusive"], verdicts["admissible"]), ("REFUTED", "PROVED"))
    pair = [td.get_attribute("aria-label") for td in page.all("#logical td.meets")]
    equal("colliding pair", len(pair), 2)
    demand(all("meets another element" in label for label in pair), str(pair))
    values = {td.text for td in page.all("#logical td.meets")}
    equal("they lie at one place", len(values), 1)
    page.one("#claims button").click()
    demand(page.text("#element-title").startswith("Element ("), page.text("#element-title"))
    demand(page.all("#physical td.meets"), "the place where they meet is not marked")
    page.picture("bad-layout")
    page.choose("#preset", "A bad replica")
    equal("verdict", page.verdicts()["exclusive"], "REFUTED")
    demand(page.all("#physical td.meets"), "the place where they meet is not marked")
    page.picture("bad-replica")


def cases(page):
    for title, picked in (("Tensor memory, 224 columns", "Element (0, 0, 0)"), ("Scale factors with a replica", "Element (0, 0)"),
                          ("Sharding over a mesh of devices", "Element (0, 0)"), ("Mesh with copies", "Element (0, 0)"),
                          ("P/F scratchpad", "Element (0, 0)"), ("mma.m16n8k16, operand A", "Element (0, 0)")):
        page.choose("#preset", title)
        page.cell("#logical", 0, 0).click()
        equal(title, page.text("#element-title"), picked)
        demand(page.all("#physical td.picked"), f"{title}: the place is not shown")
        page.picture("".join(c if c.isalnum() else "-" for c in title.lower()))
    page.choose("#preset", "Scale factors with a replica")
    equal("the first of its places", page.cell("#logical", 0, 1).text, "0 …")
    page.cell("#logical", 5, 3).click()
    equal("four places", page.owners(), [[5 + 32 * w, 3] for w in range(4)])


def large(page):
    """A tensor of 10^12 elements is shown by windows."""
    equal("verdict", page.verdicts()["exclusive"], "PROVED")
    demand(len(page.all("#logical td")) <= 512, "the tensor is drawn whole")
    page.cell("#logical", 3, 7).click()
    equal("owners", page.owners(), [[3000007]])
    from selenium.webdriver.common.keys import Keys
    page.browser.switch_to.active_element.send_keys(Keys.END)
    cell = page.browser.switch_to.active_element
    equal("last column", cell.get_attribute("aria-label"), "element (3, 999999): m 3999999")
    cell.send_keys(Keys.ENTER)
    equal("owners", page.owners(), [[3999999]])
    demand(page.all("#physical td.picked"), "the place is not shown")


def dark(page):
    page.choose("#preset", "128B swizzle, 16-bit")
    page.cell("#logical", 2, 17).click()
    page.picture("dark")
    colours = {page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")}
    page.one("#theme").click()
    colours.add(page.browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    equal("grounds", len(colours), 2)


def narrow(page):
    width = page.browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    equal("overflow of a narrow window", width, 0)
    page.picture("narrow")


def all_checks(tools, build):
    def check(scenario, *options, **more):
        def go():
            with explorer(tools, build, *options, **more) as page:
                scenario(page)
                page.quiet()
        return go

    scenarios = [(s.__name__, check(s)) for s in (owners, edit, swizzle, keyboard, bad_layout, cases)]
    scenarios += [
        ("large", check(large, arguments=["S[(1000000,1000000):(1000000@m,1@m)]", "--shape", "1000000, 1000000"])),
        ("dark", check(dark, "--blink-settings=preferredColorScheme=0")),
        ("narrow", check(narrow, size=(520, 1000))),
    ]
    return [(f"explorer in a browser: {name}", go) for name, go in scenarios]
