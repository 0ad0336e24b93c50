//! A job that can be stored and run: its plan, what is known about it, and its canonical text.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::job::Plan;
use mainspring_core::schedule::Spec;
use mainspring_core::trigger::TriggerSpec;
use mainspring_core::values::Name;

use crate::check::{check, lower, schedules, triggers};
use crate::file::{At, Node, Value, canonical, job, parameters as parameters_of, read as read_tree};
use crate::limits::Limits;
use crate::mistake::{Code, Mistake, Mistakes, Spot};
use crate::parameter::{self, Parameter};

pub const TENANT_DEFAULT: &str = "default";

/// How a text is read.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// Whose jobs they are unless they say it.
    pub tenant: &'o str,
    pub limits: Limits,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { tenant: TENANT_DEFAULT, limits: Limits::default() }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    pub tenant: Name,
    pub name: Name,
    pub description: String,
    pub owner: String,
    pub tags: Vec<Name>,
    pub parameters: Vec<Parameter>,
    pub plan: Arc<Plan>,
    /// Under their names; the slot of each is for whoever stores them.
    pub schedules: Vec<(Name, Spec)>,
    /// As the schedules.
    pub triggers: Vec<(Name, TriggerSpec)>,
    /// Canonical JSON; reading it gives this definition again.
    pub source: Arc<[u8]>,
    /// BLAKE3 of the source: equal jobs have equal hashes.
    pub hash: [u8; 32],
}

impl Definition {
    /// The parameters of a run as canonical JSON with defaults filled in, or all that is wrong with them.
    pub fn check_parameters(&self, given: &[u8]) -> Result<Vec<u8>, Vec<Mistake>> {
        parameter::check(&self.parameters, given)
    }
}

/// All jobs of a text, or all its mistakes. `file` is how mistakes call it.
pub fn read(file: &str, text: &str, options: &Options<'_>) -> Result<Vec<Definition>, Vec<Mistake>> {
    let mut mistakes = Mistakes::new(file);
    let documents = read_tree(text, &options.limits, &mut mistakes);
    let jobs = jobs(&documents, &mut mistakes);
    if jobs.is_empty() && mistakes.count() == 0 {
        let help = "begin with `job: my-job` and `tasks:`";
        mistakes.add(Code::MissingField, &Spot::default(), "there is no job in it", help);
    }
    if jobs.len() > options.limits.jobs_max {
        let what = format!("{} jobs are more than {}", jobs.len(), options.limits.jobs_max);
        mistakes.add(Code::TooMany, &Spot::default(), what, "split it into several files");
        return Err(mistakes.into_sorted());
    }
    let mut names = BTreeSet::new();
    let mut definitions = Vec::with_capacity(jobs.len());
    for at in &jobs {
        definitions.extend(definition(at, options, &mut names, &mut mistakes));
    }
    if mistakes.count() > 0 {
        return Err(mistakes.into_sorted());
    }
    Ok(definitions)
}

/// The parameters that a job declares, from its canonical source. Nothing else of it is read: when many jobs begin at once
/// this is what there is time for.
pub(crate) fn declared(source: &[u8]) -> Result<Vec<Parameter>, String> {
    #[derive(serde::Deserialize)]
    struct OnlyParameters {
        #[serde(default)]
        parameters: serde_json::Value,
    }
    let OnlyParameters { parameters } = serde_json::from_slice(source).map_err(|error| error.to_string())?;
    if parameters.is_null() {
        return Ok(Vec::new());
    }
    let mut mistakes = Mistakes::new("");
    let documents = read_tree(&parameters.to_string(), &Limits::WIDE, &mut mistakes);
    let root = documents.first().ok_or("there are no parameters")?;
    let declared = parameters_of(&At::root(root, ""), &mut mistakes);
    match mistakes.into_sorted().first() {
        Some(first) => Err(first.to_string()),
        None => Ok(declared),
    }
}

/// One job a document, or a list of them under `jobs`.
fn jobs<'n>(documents: &'n [Node], mistakes: &mut Mistakes) -> Vec<At<'n>> {
    let mut found = Vec::new();
    for document in documents {
        let at = At::root(document, "");
        if document.get("jobs").is_none() {
            found.push(at);
            continue;
        }
        let Some(fields) = at.fields(&["jobs"], mistakes) else { continue };
        found.extend(fields.read("jobs", mistakes, At::list).unwrap_or_default());
    }
    found
}

fn definition(
    at: &At<'_>,
    options: &Options<'_>,
    names: &mut BTreeSet<(Name, Name)>,
    mistakes: &mut Mistakes,
) -> Option<Definition> {
    if !matches!(at.node.value, Value::Map(_)) {
        at.wrong("a job, which is an object,", mistakes);
        return None;
    }
    let before = mistakes.count();
    let job = job(at, &options.limits, mistakes)?;
    let graph = check(&job, mistakes);
    let tenant = job.tenant.clone().or_else(|| Name::new(options.tenant).ok())?;
    let name = job.name.clone()?;
    if !names.insert((tenant.clone(), name.clone())) {
        let what = format!("a job `{name}` is in this file already");
        mistakes.add(Code::DuplicateJob, &job.spot, what, "give it another name");
    }
    let mut schedules = schedules(&job, &tenant, &name, mistakes);
    let found = triggers(&job, &tenant, &name, mistakes);
    schedules.extend(found.schedules);
    let triggers = found.triggers;
    if mistakes.count() > before {
        return None;
    }
    let plan = Arc::new(lower(&job, &graph, &tenant)?);
    let source = canonical(at.node, &tenant).into_bytes();
    let hash = *blake3::hash(&source).as_bytes();
    let (description, owner, tags, parameters) = (job.description, job.owner, job.tags, job.parameters);
    let source = source.into();
    Some(Definition {
        tenant,
        name,
        description,
        owner,
        tags,
        parameters,
        plan,
        schedules,
        triggers,
        source,
        hash,
    })
}
