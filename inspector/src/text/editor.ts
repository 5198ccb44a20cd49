/** The editor: a text in which spans are coloured. It lives in a shadow root, whose styles need no exception of the CSP. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { KINDS, type Spans } from "../engine/inspection";
import { firstNot } from "./find";
import { theme } from "./theme";

/** What is shown on a text. */
export interface Paint {
  spans: Spans | null;
  /** Units that the spans were made of; of another text they are not shown. */
  length: number;
  /** Whether a span is pointed at from outside. */
  lit: ((index: number) => boolean) | null;
  /** Up to where the text has gone out, and come in. */
  time: { out: number; arrived: number } | null;
  /** What looks like a call and is none. */
  missed?: { start: number; end: number }[];
}

const NOTHING: Paint = { spans: null, length: 0, lit: null, time: null };
const setPaint = StateEffect.define<Paint>();
const paintField = StateField.define<Paint>({
  create: () => NOTHING,
  update: (paint, { effects }) => effects.reduce((now, effect) => (effect.is(setPaint) ? effect.value : now), paint),
});

const MARKS = KINDS.map((kind) => [
  Decoration.mark({ class: `k k-${kind}` }),
  Decoration.mark({ class: `k k-${kind} lit` }),
] as const);
const HELD = Decoration.mark({ class: "t-held" });
const LATER = Decoration.mark({ class: "t-later" });
const MISSED = Decoration.mark({ class: "t-missed" });
const TEXT = KINDS.indexOf("text");

/** Marks of what is in view. While the text changes, those of before move along until the new ones are there. */
class Marks {
  marks: DecorationSet;

  constructor(view: EditorView) {
    this.marks = build(view);
  }

  update(update: ViewUpdate): void {
    const { state, startState, docChanged, viewportChanged, changes } = update;
    const paint = state.field(paintField);
    if (docChanged && paint.length !== state.doc.length) this.marks = this.marks.map(changes);
    else if (viewportChanged || docChanged || paint !== startState.field(paintField)) this.marks = build(update.view);
  }
}

function build(view: EditorView): DecorationSet {
  const { spans, length, lit } = view.state.field(paintField);
  const builder = new RangeSetBuilder<Decoration>();
  if (spans && length === view.state.doc.length) {
    for (const { from, to } of view.visibleRanges) {
      const count = spans.start.length;
      let index = firstNot(count, (at) => (spans.end[at] as number) <= from);
      for (; index < count && (spans.start[index] as number) < to; index++) {
        const [start, end] = [Math.max(spans.start[index] as number, from), Math.min(spans.end[index] as number, to)];
        const kind = spans.kind[index] as number;
        const isLit = lit?.(index) ?? false;
        if (start < end && (kind !== TEXT || isLit)) builder.add(start, end, (MARKS[kind] as (typeof MARKS)[0])[isLit ? 1 : 0]);
      }
    }
  }
  return builder.finish();
}

const timeMarks = EditorView.decorations.compute([paintField, "doc"], (state) => {
  const { time } = state.field(paintField);
  if (!time) return Decoration.none;
  const size = state.doc.length;
  const [out, arrived] = [Math.min(time.out, size), Math.min(time.arrived, size)];
  const marks = [];
  if (out < arrived) marks.push(HELD.range(out, arrived));
  if (arrived < size) marks.push(LATER.range(arrived, size));
  return Decoration.set(marks);
});

const missedMarks = EditorView.decorations.compute([paintField, "doc"], (state) => {
  const { missed = [], length } = state.field(paintField);
  if (length !== state.doc.length) return Decoration.none;
  return Decoration.set(missed.filter(({ start, end }) => start < end).map(({ start, end }) => MISSED.range(start, end)), true);
});

export interface EditorOptions {
  label: string;
  hint?: string;
  readOnly?: boolean;
  numbers?: boolean;
  onChange?(text: string): void;
  /** A place under the mouse or the caret; null when the mouse left. */
  onPoint?(at: number | null): void;
}

export class Editor {
  readonly view: EditorView;

  constructor(host: HTMLElement, options: EditorOptions) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const state = EditorState.create({ extensions: extensions(options) });
    this.view = new EditorView({ state, parent: root, root });
    const leave = () => options.onPoint?.(null);
    this.view.scrollDOM.addEventListener("mouseleave", leave);
  }

  get text(): string {
    return this.view.state.sliceDoc();
  }

  /** Replaces the text, unless it is the same. */
  setText(text: string): void {
    if (text === this.text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  paint(paint: Paint): void {
    this.view.dispatch({ effects: setPaint.of(paint) });
  }

  reveal(at: number): void {
    const place = Math.min(at, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
  }

  /** Marks a mistake; places are those of the text. */
  mark(mistake: { from: number; to: number; message: string } | null): void {
    const found = mistake ? [{ ...mistake, severity: "error" as const }] : [];
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  destroy(): void {
    this.view.destroy();
  }
}

function extensions(options: EditorOptions): Extension[] {
  const { label, hint, readOnly = false, numbers = false, onChange, onPoint } = options;
  return [
    // Other line breaks are characters of the text: no byte may change.
    EditorState.lineSeparator.of("\n"),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
    EditorView.lineWrapping,
    highlightSpecialChars(),
    drawSelection(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    hint ? placeholder(hint) : [],
    numbers ? [lineNumbers(), lintGutter()] : [],
    paintField,
    ViewPlugin.fromClass(Marks, { decorations: (plugin) => plugin.marks }),
    timeMarks,
    missedMarks,
    theme,
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.(update.state.sliceDoc());
      else if (update.selectionSet && update.view.hasFocus) onPoint?.(update.state.selection.main.head);
    }),
    EditorView.domEventHandlers({
      mousemove(event, view) {
        onPoint?.(view.posAtCoords({ x: event.clientX, y: event.clientY }, false));
      },
    }),
  ];
}
