//! The report for other programs: one document, described in docs/json.md. The schema only grows.
//! It has types of its own so that a change inside gordian does not change what others read.

use crate::elide::{Row, rows};
use crate::{Detail, Report, Reported};
use gordian_trace::{
    Bounds, Coverage, InputValue, InterferenceSummary, Place, PredictionSummary, SolverLayer, SolverSummary, Step,
    StepForm, Stop, ThreadName, Verdict,
};
use serde::Serialize;

/// Grows only if a reader of the older schema would misread the newer one.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    gordian: u32,
    verdict: Verdict,
    stop: &'a Stop,
    strategy: &'a str,
    guarantee: &'a str,
    bounds: &'a Bounds,
    executions: u64,
    blocked: u64,
    steps: u64,
    symbolic_inputs: bool,
    questions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<SolverItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interference: Option<&'a InterferenceSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prediction: Option<&'a PredictionSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Coverage>,
    findings: Vec<FindingItem<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct SolverItem {
    paths: u64,
    most_orders: u64,
    queries: u64,
    layers: Vec<LayerItem>,
}

#[derive(Serialize)]
struct LayerItem {
    name: &'static str,
    queries: u64,
    answered: u64,
}

#[derive(Serialize)]
struct FindingItem<'a> {
    kind: &'static str,
    message: &'a str,
    places: Vec<PlaceItem<'a>>,
    notes: &'a [String],
    inputs: Vec<InputItem<'a>>,
    test: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepItem<'a>>>,
}

#[derive(Serialize)]
struct InputItem<'a> {
    name: &'a str,
    thread: u32,
    nth: u32,
    bits: u8,
    value: u64,
    function: &'a str,
}

#[derive(Serialize)]
struct PlaceItem<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    thread: ThreadItem<'a>,
    what: &'a str,
}

#[derive(Serialize)]
struct ThreadItem<'a> {
    number: u32,
    function: &'a str,
}

#[derive(Serialize)]
struct StepItem<'a> {
    step: usize,
    form: StepForm,
    #[serde(flatten)]
    place: PlaceItem<'a>,
}

/// The document, with a line end.
pub fn document(report: &Report, detail: Detail) -> String {
    let summary = report.summary;
    let document = Document {
        gordian: SCHEMA_VERSION,
        verdict: summary.verdict,
        stop: &summary.stop,
        strategy: &summary.exploration.strategy,
        guarantee: &summary.exploration.guarantee,
        bounds: &summary.bounds,
        executions: summary.executions,
        blocked: summary.blocked,
        steps: summary.steps,
        symbolic_inputs: summary.symbolic_inputs,
        questions: summary.solver_queries,
        solver: summary.solver.as_ref().map(solver_item),
        interference: summary.interference.as_ref(),
        prediction: summary.prediction.as_ref(),
        coverage: summary.coverage.as_ref(),
        findings: report.findings.iter().map(|reported| item(reported, detail)).collect(),
        notes: &summary.notes,
    };
    serde_json::to_string_pretty(&document).expect("a document of strings and numbers") + "\n"
}

fn solver_item(solver: &SolverSummary) -> SolverItem {
    let layer = |layer: &SolverLayer| LayerItem { name: layer.name, queries: layer.queries, answered: layer.answered };
    SolverItem {
        paths: solver.paths,
        most_orders: solver.most_orders,
        queries: solver.queries,
        layers: solver.layers.iter().map(layer).collect(),
    }
}

fn item<'a>(reported: &Reported<'a>, detail: Detail) -> FindingItem<'a> {
    let finding = reported.finding;
    let shown = rows(reported.trace, finding, detail).into_iter();
    let steps = shown.filter_map(|row| if let Row::Step(_, step) = row { Some(step_item(step)) } else { None });
    FindingItem {
        kind: finding.kind.name(),
        message: &finding.message,
        places: finding.places.iter().map(place_item).collect(),
        notes: &finding.notes,
        inputs: reported.inputs.iter().map(input_item).collect(),
        test: reported.test.map(|test| test.display().to_string()),
        trace: (detail != Detail::None).then(|| steps.collect()),
    }
}

fn input_item(input: &InputValue) -> InputItem<'_> {
    let InputValue { thread, nth, value, bits, .. } = *input;
    InputItem { name: &input.name, thread, nth, bits, value, function: &input.function }
}

fn place_item(place: &Place) -> PlaceItem<'_> {
    PlaceItem {
        file: &place.file,
        line: place.line,
        column: place.column,
        function: &place.function,
        thread: thread_item(&place.thread),
        what: &place.what,
    }
}

fn thread_item(thread: &ThreadName) -> ThreadItem<'_> {
    ThreadItem { number: thread.number, function: &thread.function }
}

fn step_item(step: &Step) -> StepItem<'_> {
    let place = PlaceItem { thread: thread_item(&step.thread), ..place_item(&step.place) };
    StepItem { step: step.index, form: step.form, place }
}
