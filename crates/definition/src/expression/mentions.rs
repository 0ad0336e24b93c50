//! What an expression reads, found by walking it once; on the way, what the language does not have is refused.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;
use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, UnaryOpKind};

use super::engine::{filters_known, tests_known};
use super::source::Bad;
use crate::limits::JOINS_MAX;
use crate::suggest::nearest;

/// Everything that an expression can begin with.
const ROOTS: [&str; 10] =
    ["params", "tasks", "item", "index", "round", "output", "run", "window", "event", "failed_upstream"];
const OF_RUN: [&str; 3] = ["id", "job", "logical_time"];
const OF_WINDOW: [&str; 8] = ["at", "start", "end", "schedule", "catch_up", "late", "backfill", "no_event"];
const OF_EVENT: [&str; 6] = ["id", "source", "type", "subject", "time", "data"];
const OF_TASK: [&str; 3] = ["state", "output", "outputs"];
/// Operators inside each other; a chain as long as an expression may be would use up a small stack.
const DEPTH_MAX: usize = 150;

/// What a text reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a name of the language")]
pub struct Mentions {
    pub params: BTreeSet<String>,
    /// Some parameter whose name is known only when it runs.
    pub params_any: bool,
    pub tasks: BTreeMap<String, TaskMention>,
    pub item: bool,
    pub index: bool,
    pub round: bool,
    /// The output of the round that just ended.
    pub output: bool,
    pub run: bool,
    pub window: bool,
    /// What began the run, or what a trigger looks at.
    pub event: bool,
    pub failed_upstream: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskMention {
    pub state: bool,
    pub output: bool,
    /// Names looked up in its output, as far as they are written out.
    pub fields: BTreeSet<String>,
}

impl Mentions {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn merge(&mut self, other: &Self) {
        self.params.extend(other.params.iter().cloned());
        self.params_any |= other.params_any;
        for (name, mention) in &other.tasks {
            let known = self.tasks.entry(name.clone()).or_default();
            known.state |= mention.state;
            known.output |= mention.output;
            known.fields.extend(mention.fields.iter().cloned());
        }
        self.item |= other.item;
        self.index |= other.index;
        self.round |= other.round;
        self.output |= other.output;
        self.run |= other.run;
        self.window |= other.window;
        self.event |= other.event;
        self.failed_upstream |= other.failed_upstream;
    }
}

pub fn find(expression: &Expr<'_>) -> Result<Mentions, Bad> {
    let mut walk = Walk { mentions: Mentions::default(), joins: 0 };
    walk.visit(expression, 0)?;
    Ok(walk.mentions)
}

struct Walk {
    mentions: Mentions,
    joins: usize,
}

impl Walk {
    fn visit(&mut self, expression: &Expr<'_>, depth: usize) -> Result<(), Bad> {
        if depth > DEPTH_MAX {
            return Err(Bad::new(
                format!("more than {DEPTH_MAX} operators are inside each other"),
                "move the work into a task",
            ));
        }
        let deeper = depth + 1;
        match expression {
            Expr::Const(_) => Ok(()),
            Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) => self.lookup(expression, deeper),
            Expr::UnaryOp(operator) => self.visit(&operator.expr, deeper),
            Expr::BinOp(operator) => {
                self.operator(operator.op, &operator.left, &operator.right)?;
                self.visit(&operator.left, deeper)?;
                self.visit(&operator.right, deeper)
            }
            Expr::Compare(compare) => {
                self.visit(&compare.expr, deeper)?;
                compare.ops.iter().try_for_each(|op| self.visit(&op.expr, deeper))
            }
            Expr::IfExpr(choice) => {
                self.visit(&choice.test_expr, deeper)?;
                self.visit(&choice.true_expr, deeper)?;
                choice.false_expr.iter().try_for_each(|other| self.visit(other, deeper))
            }
            Expr::Filter(filter) => {
                known("filter", filter.name, filters_known())?;
                filter.expr.iter().try_for_each(|inner| self.visit(inner, deeper))?;
                self.arguments(&filter.args, deeper)
            }
            Expr::Test(test) => {
                known("test", test.name, tests_known())?;
                self.visit(&test.expr, deeper)?;
                self.arguments(&test.args, deeper)
            }
            Expr::Slice(slice) => {
                self.visit(&slice.expr, deeper)?;
                let bounds = [&slice.start, &slice.stop, &slice.step];
                bounds.into_iter().flatten().try_for_each(|bound| self.visit(bound, deeper))
            }
            Expr::List(list) => list.items.iter().try_for_each(|item| self.visit(item, deeper)),
            Expr::Tuple(tuple) => tuple.items.iter().try_for_each(|item| self.visit(item, deeper)),
            Expr::Map(map) => {
                map.keys.iter().chain(&map.values).try_for_each(|part| self.visit(part, deeper))
            }
            Expr::Call(_) => {
                Err(Bad::new("expressions have no functions", "use a filter: `params.name | upper`"))
            }
        }
    }

    fn arguments(&mut self, arguments: &[CallArg<'_>], depth: usize) -> Result<(), Bad> {
        arguments.iter().try_for_each(|argument| match argument {
            CallArg::Pos(value) | CallArg::Kwarg(_, value) => self.visit(value, depth),
            CallArg::PosSplat(_) | CallArg::KwargSplat(_) => {
                Err(Bad::new("`*` and `**` before an argument are not supported", "write the arguments out"))
            }
        })
    }

    fn operator(&mut self, kind: BinOpKind, left: &Expr<'_>, right: &Expr<'_>) -> Result<(), Bad> {
        match kind {
            BinOpKind::Add | BinOpKind::Concat => self.joins += 1,
            // With a text or a list `*` repeats it; a short expression could fill the memory.
            BinOpKind::Mul if !(is_number(left) && is_number(right)) => {
                let help = "say that both sides are numbers: `(params.n | int) * 2`";
                return Err(Bad::new("`*` multiplies numbers only", help));
            }
            _ => {}
        }
        if self.joins > JOINS_MAX {
            let what = format!("the expression joins more than {JOINS_MAX} values");
            return Err(Bad::new(what, "use `| join`, or move the work into a task"));
        }
        Ok(())
    }

    /// A name and what is looked up in it.
    fn lookup(&mut self, expression: &Expr<'_>, depth: usize) -> Result<(), Bad> {
        let mut steps = Vec::new();
        let mut inner = expression;
        let root = loop {
            match inner {
                Expr::Var(name) => break name.id,
                Expr::GetAttr(attribute) => {
                    steps.push(Some(attribute.name.to_owned()));
                    inner = &attribute.expr;
                }
                Expr::GetItem(item) => {
                    steps.push(constant(&item.subscript_expr));
                    self.visit(&item.subscript_expr, depth)?;
                    inner = &item.expr;
                }
                other => return self.visit(other, depth),
            }
        };
        steps.reverse();
        self.root(root, &steps)
    }

    fn root(&mut self, root: &str, steps: &[Option<String>]) -> Result<(), Bad> {
        let mentions = &mut self.mentions;
        match root {
            "params" => match steps.first() {
                Some(Some(name)) => drop(mentions.params.insert(name.clone())),
                _ => mentions.params_any = true,
            },
            "tasks" => return self.task(steps),
            "run" => {
                mentions.run = true;
                if let Some(Some(name)) = steps.first() {
                    known("field of `run`", name, OF_RUN)?;
                }
            }
            "window" => {
                mentions.window = true;
                if let Some(Some(name)) = steps.first() {
                    known("field of `window`", name, OF_WINDOW)?;
                }
            }
            "event" => {
                mentions.event = true;
                if let Some(Some(name)) = steps.first() {
                    known("field of `event`", name, OF_EVENT)?;
                }
            }
            "item" => mentions.item = true,
            "index" => mentions.index = true,
            "round" => mentions.round = true,
            "output" => mentions.output = true,
            "failed_upstream" => mentions.failed_upstream = true,
            _ => return known("name", root, ROOTS),
        }
        Ok(())
    }

    fn task(&mut self, steps: &[Option<String>]) -> Result<(), Bad> {
        let Some(Some(name)) = steps.first() else {
            let help = "write its name out: `tasks.load.output`";
            return Err(Bad::new("the task must be named in the expression itself", help));
        };
        let Some(Some(what)) = steps.get(1) else {
            let what = format!("`tasks.{name}` alone says nothing");
            let help = "add `.state` or `.output`; a name with a dash is written `tasks['load-data']`";
            return Err(Bad::new(what, help));
        };
        known("field of a task", what, OF_TASK)?;
        let mention = self.mentions.tasks.entry(name.clone()).or_default();
        mention.state |= what == "state";
        mention.output |= what != "state";
        if let (true, Some(Some(field))) = (what == "output", steps.get(2)) {
            mention.fields.insert(field.clone());
        }
        Ok(())
    }
}

/// A text in brackets, or a place in a list, which names nothing.
fn constant(subscript: &Expr<'_>) -> Option<String> {
    match subscript {
        Expr::Const(constant) => constant.value.as_str().map(ToOwned::to_owned),
        _ => None,
    }
}

/// Numbers by how they are made, whatever the parameters will be.
fn is_number(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::Const(constant) => Value::is_number(&constant.value),
        Expr::Var(name) => matches!(name.id, "index" | "round"),
        Expr::UnaryOp(operator) => matches!(operator.op, UnaryOpKind::Neg),
        Expr::BinOp(operator) => match operator.op {
            BinOpKind::Sub | BinOpKind::Div | BinOpKind::FloorDiv | BinOpKind::Rem | BinOpKind::Pow => true,
            BinOpKind::Mul => true,
            BinOpKind::Add => is_number(&operator.left) && is_number(&operator.right),
            _ => false,
        },
        Expr::Filter(filter) => {
            matches!(filter.name, "int" | "float" | "length" | "count" | "abs" | "round" | "sum")
        }
        _ => false,
    }
}

fn known<'k>(kind: &str, name: &str, all: impl IntoIterator<Item = &'k str>) -> Result<(), Bad> {
    let all: Vec<&str> = all.into_iter().collect();
    if all.contains(&name) {
        return Ok(());
    }
    let help = match nearest(name, all.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", all.join(", ")),
    };
    Err(Bad::new(format!("there is no {kind} `{name}`"), help))
}
