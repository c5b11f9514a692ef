// The explorer. Everything about layouts is asked of the WebAssembly in this page (tools/layout/answer.h has the questions); this file
// shows the answers.
"use strict";

const $ = id => document.getElementById(id);
const ROWS = 16, COLS = 32;  // of a window

// ---- The engine: a JSON text in, a JSON text out.
const bytes = Uint8Array.from(atob($("wasm").textContent.trim()), c => c.charCodeAt(0));
let compiled = null, engine = null;

async function start() {
  compiled ??= await WebAssembly.compile(bytes);
  const wasi = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled))
    if (kind === "function")
      (wasi[module] ??= {})[name] = () => {
        if (name === "proc_exit") throw new Error("the engine stopped");
        return 52;  // "not supported": it needs no system
      };
  engine = (await WebAssembly.instantiate(compiled, wasi)).exports;
  engine._initialize();
}

function ask(op, more = {}) {
  const text = new TextEncoder().encode(JSON.stringify({ op, ...state.subject, ...more }));
  new Uint8Array(engine.memory.buffer, engine.reserve(text.length), text.length).set(text);
  const at = engine.answer(text.length);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, engine.length())));
}

// ---- What is shown
const state = {
  subject: { layout: "", shape: "", sizes: "", dtype_bits: 16, mode: 0 },
  about: null,     // the answer to "describe"
  picked: null,    // element (flat)
  pair: null,      // the two elements that meet, of a refuted claim
  logical: { row: 0, col: 0, row0: 0, col0: 0 },
  physical: { row: 0, col: 0, row0: 0, col0: 0 },
  view: "axes",
};
let presets = [];

const unflatten = flat => {
  const out = [];
  for (const extent of [...state.about.shape].reverse()) { out.unshift(flat % extent); flat = Math.floor(flat / extent); }
  return out;
};
const named = flat => `(${unflatten(flat).join(", ")})`;
const short = flat => unflatten(flat).join(",");
const down8 = v => Math.floor(v / 8) * 8;
const clamp = (v, low, high) => Math.max(low, Math.min(v, high));
const node = (tag, attributes = {}, ...children) => {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "class") out.className = value; else if (value !== null && value !== undefined) out.setAttribute(name, value);
  out.append(...children);
  return out;
};
const fill = (element, ...children) => element.replaceChildren(...children);

// ---- Colours: of the value on the axis that cells show, or of the 16-byte column an element belongs to.
const hue = n => ((n % 24) + 24) % 24 * 137.5 % 360;
const run = () => Math.max(1, 128 / state.subject.dtype_bits);
function tint(flat, shown) {
  if ($("colour").value === "column") return hue(Math.floor(flat % state.about.columns / run()));
  const axis = state.about.axes.find(a => a.name === $("show").value);
  return hue(axis?.name === "m" && axis.high - axis.low > 64 ? Math.floor(shown / run()) : shown);
}

// ---- A grid with one tab stop. `at` is its state: the focused cell and the window; limits say how far both go.
class Grid {
  constructor(table, at, draw, activate) {
    Object.assign(this, { table, at, draw, activate, low: { row: 0, col: 0 }, high: { row: 0, col: 0 } });
    table.addEventListener("click", e => this.from(e, true));
    table.addEventListener("focusin", e => this.from(e, false));
    table.addEventListener("keydown", e => this.key(e));
  }
  from(event, pick) {
    const cell = event.target.closest("td[role=gridcell]");
    if (!cell) return;
    this.at.row = Number(cell.dataset.row);
    this.at.col = Number(cell.dataset.col);
    for (const other of this.table.querySelectorAll("td[tabindex='0']")) other.tabIndex = -1;
    cell.tabIndex = 0;
    if (pick) this.activate(cell);
  }
  key(event) {
    const cell = event.target.closest("td[role=gridcell]");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = { row: this.at.row, col: this.at.col };
    switch (event.key) {
      case "ArrowUp": to.row--; break;
      case "ArrowDown": to.row++; break;
      case "ArrowLeft": to.col--; break;
      case "ArrowRight": to.col++; break;
      case "PageUp": to.row -= ROWS; break;
      case "PageDown": to.row += ROWS; break;
      case "Home": to.col = this.low.col; break;
      case "End": to.col = this.high.col; break;
      case "Enter": case " ": event.preventDefault(); this.activate(cell); return;
      default: return;
    }
    event.preventDefault();
    this.focus(to.row, to.col);
  }
  focus(row, col) {
    this.show(row, col);
    this.table.querySelector("td[tabindex='0']")?.focus();
  }
  // Moves the window as far as needed, and draws.
  show(row, col) {
    const at = this.at;
    at.row = clamp(row, this.low.row, this.high.row);
    at.col = clamp(col, this.low.col, this.high.col);
    const edge = (v, start, count, low, high) => v < start ? down8(v) : v >= start + count ? Math.min(down8(v), Math.max(high - count + 1, low)) : start;
    at.row0 = clamp(edge(at.row, at.row0, ROWS, this.low.row, this.high.row), this.low.row, Math.max(this.low.row, this.high.row));
    at.col0 = clamp(edge(at.col, at.col0, COLS, this.low.col, this.high.col), this.low.col, Math.max(this.low.col, this.high.col));
    this.draw();
  }
  limits(low, high) {
    this.low = low;
    this.high = high;
    this.at.row = clamp(this.at.row, low.row, high.row);
    this.at.col = clamp(this.at.col, low.col, high.col);
    this.at.row0 = clamp(this.at.row0, low.row, Math.max(low.row, high.row - ROWS + 1));
    this.at.col0 = clamp(this.at.col0, low.col, Math.max(low.col, high.col - COLS + 1));
  }
  get rows() { return Math.min(ROWS, this.high.row - this.at.row0 + 1); }
  get cols() { return Math.min(COLS, this.high.col - this.at.col0 + 1); }
  get window() { return { row0: this.at.row0, col0: this.at.col0, rows: this.rows, cols: this.cols }; }
  // cell(row, col) gives { text, label, classes, hue }.
  build(corner, rowName, colName, cell) {
    const held = this.table.contains(document.activeElement);
    const head = node("tr", {}, node("th", { scope: "col" }, corner));
    for (let c = 0; c < this.cols; c++) head.append(node("th", { scope: "col" }, colName(this.at.col0 + c)));
    const body = node("tbody");
    for (let r = 0; r < this.rows; r++) {
      const row = this.at.row0 + r, line = node("tr", {}, node("th", { scope: "row" }, rowName(row)));
      for (let c = 0; c < this.cols; c++) {
        const col = this.at.col0 + c, { text, label, classes = [], hue: h, picked } = cell(row, col);
        const td = node("td", { role: "gridcell", "data-row": row, "data-col": col, "aria-label": label,
          "aria-selected": picked ? "true" : "false", tabindex: row === this.at.row && col === this.at.col ? 0 : -1,
          class: [...classes, ...(h !== undefined ? ["tinted"] : []), ...(picked ? ["picked"] : [])].join(" ") }, text);
        if (h !== undefined) td.style.setProperty("--hue", h);
        line.append(td);
      }
      body.append(line);
    }
    this.table.classList.toggle("dense", this.cols > 20);
    fill(this.table, node("thead", {}, head), body);
    if (!this.table.querySelector("td[tabindex='0']")) { const first = this.table.querySelector("td"); if (first) first.tabIndex = 0; }
    if (held) this.table.querySelector("td[tabindex='0']")?.focus({ preventScroll: true });
  }
}

const range = (from, count, total) => count >= total ? `${total}` : `${from} to ${from + count - 1} of ${total}`;

// ---- Elements
const logical = new Grid($("logical"), state.logical, drawLogical, cell => pick(Number(cell.dataset.row) * state.about.columns + Number(cell.dataset.col)));

function valuesOf(places, axis) {
  const index = state.about.axes.findIndex(a => a.name === axis);
  return index < 0 ? [0] : [...new Set(places.map(p => p[index]))];
}

function drawLogical() {
  const { rows, columns, shape, axes } = state.about;
  const answer = ask("window", logical.window);
  $("logical-range").textContent = `shape (${shape.join(", ")}): rows ${range(state.logical.row0, logical.rows, rows)}, columns ${range(state.logical.col0, logical.cols, columns)}`;
  if (!answer.ok) { fill($("logical"), node("caption", {}, answer.error.message)); return; }
  const cells = new Map(answer.cells.map(([flat, places]) => [Number(flat), places]));
  const shown = $("show").value;
  const rowName = row => shape.length > 2 ? unflatten(row * columns).slice(0, -1).join(",") : `${row}`;
  logical.build("", rowName, String, (row, col) => {
    const flat = row * columns + col, places = cells.get(flat) ?? [];
    const values = valuesOf(places, shown);
    const text = shown === "" ? `${flat}` : values.length > 2 ? `${values[0]} …` : values.join(" ");
    const where = axes.map(a => `${a.name} ${valuesOf(places, a.name).join(" and ")}`).join(", ");
    const meets = state.pair?.includes(flat);
    return { text, label: `element ${named(flat)}: ${where || "origin"}${meets ? "; meets another element" : ""}`,
      hue: meets ? undefined : tint(flat, values[0]), classes: meets ? ["meets"] : [], picked: flat === state.picked };
  });
}

function pick(flat) {
  state.picked = flat;
  logical.show(Math.floor(flat / state.about.columns), flat % state.about.columns);
  drawElement();
  followPicked();
  drawPhysical();
}

function drawElement() {
  const title = $("element-title");
  if (state.picked === null) {
    title.textContent = "No element picked";
    fill($("element"), node("p", { class: "hint" }, "Its digits, all of its owners and its bank are shown here."));
    $("status").textContent = "";
    return;
  }
  const e = ask("element", { flat: state.picked }), axes = state.about.axes;
  if (!e.ok) { title.textContent = e.error.message; fill($("element")); return; }
  title.textContent = `Element (${e.coordinate.join(", ")})`;
  const facts = node("dl", {}, node("dt", {}, "flat"), node("dd", { class: "mono" }, `${e.flat}`),
    node("dt", {}, "digits"), node("dd", { class: "mono" }, `(${e.digits.join(", ")})`));
  if (e.bank) facts.append(node("dt", {}, "address"), node("dd", { class: "mono" }, `${e.bank.address}`),
    node("dt", {}, "word, bank, line"), node("dd", { class: "mono" }, `${e.bank.word}, ${e.bank.bank}, ${e.bank.line}`));
  const owners = node("table", { id: "owners" }, node("caption", {}, e.places.length === 0 ? `its places are too many to list: ${e.copies} copies` : e.places.length === 1 ? "its one place" : `its ${e.places.length} places`),
    node("tr", {}, ...axes.map(a => node("th", { scope: "col" }, a.name))),
    ...e.places.slice(0, 64).map(p => node("tr", {}, ...axes.map(a => node("td", { class: "mono" }, `${p[a.name] ?? 0}`)))));
  fill($("element"), facts, owners);
  if (e.places.length > 64) $("element").append(node("p", { class: "hint" }, `and ${e.places.length - 64} more`));
  $("status").textContent = `Element ${named(state.picked)}: ${e.places.slice(0, 8).map(p => axes.map(a => `${a.name} ${p[a.name] ?? 0}`).join(", ")).join("; ")}`;
}

// ---- Places
const physical = new Grid($("physical"), state.physical, drawPhysical, cell => {
  const first = cell.dataset.element;
  if (first !== undefined) pick(Number(first));
});

function physicalLimits() {
  if (state.view === "banks") {
    physical.limits({ row: 0, col: 0 }, { row: state.about.lines - 1, col: 31 });
    return;
  }
  const axis = name => state.about.axes.find(a => a.name === name) ?? { low: 0, high: 0 };
  const row = axis($("row-axis").value), col = axis($("col-axis").value);
  physical.limits({ row: row.low, col: col.low }, { row: row.high, col: col.high });
}

// The window of places goes where the picked element is.
function followPicked() {
  if (state.picked === null) return;
  const e = ask("element", { flat: state.picked });
  if (!e.ok) return;
  const p = e.places[0] ?? e.base;
  const [row, col] = state.view === "banks" ? [e.bank.line, e.bank.bank] : [p[$("row-axis").value] ?? 0, p[$("col-axis").value] ?? 0];
  const at = state.physical;
  at.row = row; at.col = col;
  if (row < at.row0 || row >= at.row0 + ROWS) at.row0 = down8(row);
  if (col < at.col0 || col >= at.col0 + COLS) at.col0 = down8(col);
  physicalLimits();
}

function drawPhysical() {
  physicalLimits();
  const banks = state.view === "banks", w = logical.window;
  const around = { logical_row0: w.row0, logical_col0: w.col0, logical_rows: w.rows, logical_cols: w.cols };
  const answer = banks
    ? ask("banks", { line0: state.physical.row0, lines: physical.rows, flat: state.picked ?? -1, access: $("access").value, ...around })
    : ask("physical", { row_axis: $("row-axis").value, col_axis: $("col-axis").value, ...physical.window, ...around });
  $("axis-choice").hidden = banks;
  $("access-choice").hidden = !banks;
  $("tab-axes").setAttribute("aria-selected", String(!banks));
  $("tab-banks").setAttribute("aria-selected", String(banks));
  if (!answer.ok) { fill($("physical"), node("caption", {}, answer.error.message)); return; }
  const cells = new Map(answer.cells.map(([row, col, count, elements]) => [`${row} ${col}`, { count, elements: elements.map(Number) }]));
  const rowAxis = $("row-axis").value, colAxis = $("col-axis").value;
  const others = state.about.axes.filter(a => a.name !== rowAxis && a.name !== colAxis);
  const access = banks && answer.access?.ok ? answer.access : null;
  const words = new Set(access?.words), conflicts = new Set(access?.conflicts);
  $("physical-range").textContent = banks ? `lines ${range(state.physical.row0, physical.rows, state.about.lines)}; a cell is a 4-byte word with all its elements`
    : others.length ? `cells gather ${others.map(a => a.name).join(", ")}` : "";
  drawAccess(banks, answer.access);
  physical.build(banks ? "line" : rowAxis, String, String, (row, col) => {
    const found = cells.get(`${row} ${col}`), where = banks ? `line ${row}, bank ${col}` : `${rowAxis || "row"} ${row}, ${colAxis || "column"} ${col}`;
    if (!found) return { text: "", label: `${where}: nothing`, classes: ["empty"] };
    const { count, elements } = found, most = banks ? 8 : 4;
    const text = elements.slice(0, most).map(short).join("\n") + (count > Math.min(most, elements.length) ? `\n+${count - Math.min(most, elements.length)}` : "");
    const classes = [];
    if (banks && words.has(row * 32 + col)) classes.push(conflicts.has(col) ? "conflict" : "touched");
    // More elements than a place, or the bits of a word, can hold.
    if (count > (banks ? Math.max(1, 32 / state.subject.dtype_bits) : 1) && (banks || others.length === 0)) classes.push("meets");
    return { text, classes, picked: elements.includes(state.picked), hue: classes.includes("conflict") || classes.includes("meets") ? undefined : tint(elements[0], banks ? 0 : shownOf(row, col, rowAxis, colAxis)),
      label: `${where}: ${count === 1 ? "element" : `${count} elements`} ${elements.slice(0, most).map(named).join(" ")}` };
  });
  for (const cell of $("physical").querySelectorAll("td[role=gridcell]")) {
    const found = cells.get(`${cell.dataset.row} ${cell.dataset.col}`);
    if (found) cell.dataset.element = found.elements.includes(state.picked) ? state.picked : found.elements[0];
  }
  $("physical-hint").textContent = state.about.drawn_whole ? "" : "The tensor is large: the places of the elements in the window above are shown.";
}

const shownOf = (row, col, rowAxis, colAxis) => { const shown = $("show").value; return shown === rowAxis ? row : shown === colAxis ? col : 0; };

function drawAccess(banks, access) {
  const verdict = $("access-verdict");
  verdict.className = "verdict";
  verdict.textContent = "";
  if (!banks) return;
  if (!access) { verdict.textContent = "Pick an element to read its column."; verdict.classList.add("UNKNOWN"); return; }
  if (!access.ok) { verdict.textContent = access.error.message; verdict.classList.add("UNKNOWN"); return; }
  const free = access.degree === 1, phases = access.phases === 1 ? "one phase" : `${access.phases} phases`;
  verdict.textContent = free ? `${access.elements.length} lanes × ${access.bytes} bytes from ${named(Number(access.elements[0]))}: free of bank conflicts, ${phases}`
    : `${access.elements.length} lanes × ${access.bytes} bytes from ${named(Number(access.elements[0]))}: ${access.degree}-way bank conflict in ${access.conflicts.length === 1 ? "bank" : "banks"} ${access.conflicts.join(", ")}`;
  verdict.classList.add(free ? "PROVED" : "REFUTED");
}

// ---- Claims and texts
const pairOf = claim => [...new Set([claim.witness.x, claim.witness.y].filter(x => x !== undefined))];

function drawClaims() {
  fill($("claims"), ...state.about.claims.map(c => {
    const why = c.why.startsWith(`${c.title}: `) ? c.why.slice(c.title.length + 2) : c.why;
    const item = node("li", { "data-claim": c.name }, node("span", { class: `verdict ${c.verdict}` }, c.verdict === "REFUTED" && !c.demanded ? "no" : c.verdict), ` ${c.title}`,
      node("span", { class: "why" }, [c.by && c.verdict !== "UNKNOWN" ? `by ${c.by}` : "", why].filter(Boolean).join(": ")));
    if (c.verdict === "REFUTED" && !c.demanded) item.firstChild.className = "verdict UNKNOWN";
    if (c.witness?.x_coordinate && c.verdict === "REFUTED" && c.demanded) {
      const pair = pairOf(c);
      const button = node("button", { type: "button" }, `Show ${pair.map(named).join(" and ")}`);
      button.addEventListener("click", () => { state.pair = pair; pick(pair[0]); });
      item.append(button);
    }
    return item;
  }));
}

function complain(error) {
  for (const field of ["layout", "shape", "sizes", "swizzle"]) {
    const box = $(`${field}-error`), input = $(field === "swizzle" ? "mode" : field);
    const here = error && (error.field === field || (field === "swizzle" && ["dtype", "mode"].includes(error.field)));
    input.setAttribute("aria-invalid", String(Boolean(here)));
    if (!here) { fill(box); continue; }
    const text = field === "swizzle" ? "" : state.subject[field], at = error.column - 1;
    if (error.column > 0 && text) {
      const wide = new TextDecoder(), raw = new TextEncoder().encode(text);
      const before = wide.decode(raw.slice(0, at)), rest = wide.decode(raw.slice(at));
      fill(box, node("code", {}, before, node("mark", {}, rest.slice(0, 1) || "\u00a0"), rest.slice(1)), error.message);
    } else {
      fill(box, error.message);
    }
  }
  if (error) $("sizes-part").hidden = error.field !== "sizes" && state.subject.sizes === "";
}

function options(select, values, keep) {
  const old = keep ?? select.value;
  fill(select, ...values.map(([value, text]) => node("option", { value }, text)));
  select.value = values.some(([v]) => v === old) ? old : values[0][0];
}

function chooseViews(fresh) {
  const axes = state.about.axes, names = axes.map(a => [a.name, a.name]);
  const thread = axes.find(a => a.class !== "memory");
  options($("show"), [...names, ["", "flat index"]], fresh ? (thread ?? axes[0])?.name : undefined);
  const wide = [...axes].sort((a, b) => (b.high - b.low) - (a.high - a.low));
  const col = (thread ? wide.find(a => a.class !== "memory") : wide.find(a => a.name === "F" || a.name === "TCol") ?? wide[0])?.name ?? "";
  const row = (wide.find(a => a.name !== col && (thread === undefined || a.class !== "memory")) ?? wide.find(a => a.name !== col))?.name ?? "";
  options($("row-axis"), [...names, ["", "(none)"]], fresh ? row : undefined);
  options($("col-axis"), [...names, ["", "(none)"]], fresh ? col : undefined);
  $("tab-banks").disabled = !state.about.banks;
  if (fresh) {
    state.view = state.about.banks ? "banks" : "axes";
    $("colour").value = state.about.banks ? "column" : "owner";
  }
  if (!state.about.banks) state.view = "axes";
}

// Reads the controls and draws everything. `fresh`: another case, so views and windows start anew.
function refresh(fresh) {
  const key = () => state.about?.axes.map(a => a.name).join() ?? "";
  state.subject = { layout: $("layout").value, shape: $("shape").value, sizes: $("sizes").value, dtype_bits: Number($("dtype").value), mode: Number($("mode").value) };
  const about = ask("describe");
  complain(about.ok ? null : about.error);
  document.body.dataset.ok = String(about.ok);
  if (!about.ok) return;
  const numbers = [about.rows, about.columns, about.rows * about.columns, ...about.axes.flatMap(a => [a.low, a.high])];
  if (!numbers.every(Number.isSafeInteger)) {
    complain({ field: "shape", column: 0, message: "numbers of 2^53 and more are not drawn; kir-layout decides them" });
    document.body.dataset.ok = "false";
    return;
  }
  const before = key();
  state.about = about;
  fresh = fresh || before !== key();
  $("sizes-part").hidden = state.subject.sizes === "";
  $("full").textContent = about.as_given;
  fill($("axes"), ...about.axes.map(a => node("tr", {}, node("th", { scope: "row" }, a.name), node("td", {}, `${a.low}..${a.high}`), node("td", {}, a.meaning))));
  state.pair = null;
  const refuted = about.claims.find(c => c.demanded && c.verdict === "REFUTED" && c.witness?.x_coordinate);
  if (refuted) state.pair = pairOf(refuted);
  if (fresh) { Object.assign(state.logical, { row: 0, col: 0, row0: 0, col0: 0 }); Object.assign(state.physical, { row: 0, col: 0, row0: 0, col0: 0 }); state.picked = null; }
  if (state.picked !== null && state.picked >= about.rows * about.columns) state.picked = null;
  chooseViews(fresh);
  logical.limits({ row: 0, col: 0 }, { row: about.rows - 1, col: about.columns - 1 });
  drawClaims();
  drawLogical();
  drawElement();
  followPicked();
  drawPhysical();
}

// A trap leaves the engine in no state to go on with; it starts anew.
async function guarded(action) {
  try {
    action();
  } catch (problem) {
    if (!(problem instanceof WebAssembly.RuntimeError || problem.message === "the engine stopped")) throw problem;
    await start();
    complain({ field: "layout", column: 0, message: "internal error: the engine stopped on this layout" });
  }
}

function choose(preset) {
  $("layout").value = preset.layout;
  $("shape").value = preset.shape;
  $("sizes").value = preset.sizes ?? "";
  $("dtype").value = String(preset.dtype_bits);
  $("mode").value = String(preset.mode);
  $("note").textContent = preset.note ?? "";
  return guarded(() => refresh(true));
}

async function main() {
  await start();
  presets = ask("presets").presets;
  fill($("preset"), ...presets.map((p, i) => node("option", { value: i }, p.title)), node("option", { value: "own" }, "(your own)"));
  $("preset").addEventListener("change", () => { const p = presets[$("preset").value]; if (p) choose(p); });
  const own = () => { $("preset").value = "own"; $("note").textContent = ""; };
  for (const field of ["layout", "shape", "sizes"]) $(field).addEventListener("input", () => { own(); guarded(() => refresh(false)); });
  for (const field of ["dtype", "mode"]) $(field).addEventListener("change", () => guarded(() => refresh(false)));
  for (const field of ["show", "colour"]) $(field).addEventListener("change", () => guarded(() => { drawLogical(); drawPhysical(); }));
  for (const field of ["row-axis", "col-axis"]) $(field).addEventListener("change", () => guarded(() => { followPicked(); drawPhysical(); }));
  $("access").addEventListener("change", () => guarded(drawPhysical));
  for (const view of ["axes", "banks"])
    $(`tab-${view}`).addEventListener("click", () => guarded(() => { state.view = view; Object.assign(state.physical, { row0: 0, col0: 0 }); followPicked(); drawPhysical(); }));
  document.querySelector("[role=tablist]").addEventListener("keydown", e => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    const other = $(state.view === "axes" ? "tab-banks" : "tab-axes");
    if (!other.disabled) { other.focus(); other.click(); }
  });
  $("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const initial = JSON.parse($("initial").textContent);
  if (initial) { $("preset").value = "own"; await choose(initial); } else { $("preset").value = 0; await choose(presets[0]); }
  document.body.dataset.ready = "true";
}

main();
