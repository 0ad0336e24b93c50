//! A text with `{{ expression }}` in it.

use super::context::Context;
use super::json::{Json, check_room};
use super::mentions::Mentions;
use super::source::{Bad, Expression};
use crate::limits::{PLACES_MAX, TEMPLATE_BYTES_MAX};
use crate::mistake::Code;

const OPEN: &str = "{{";

/// Texts and places in turn: one text more than places.
#[derive(Clone)]
pub struct Template {
    pub(super) texts: Vec<String>,
    pub(super) places: Vec<Expression>,
    mentions: Mentions,
}

impl Template {
    /// Whether a text has anything to fill in.
    pub fn is_in(text: &str) -> bool {
        text.contains(OPEN)
    }

    pub fn parse(source: &str) -> Result<Self, Bad> {
        if source.len() > TEMPLATE_BYTES_MAX && Self::is_in(source) {
            let what = format!("a text with `{{{{ }}}}` has at most {TEMPLATE_BYTES_MAX} bytes");
            return Err(Bad { code: Code::TooLarge, ..Bad::new(what, "put it into a file") });
        }
        let (mut texts, mut places) = (Vec::new(), Vec::new());
        let mut rest = source;
        while let Some(start) = rest.find(OPEN) {
            let inside = &rest[start + OPEN.len()..];
            let Some(end) = end_of_place(inside) else {
                let help = "close it with `}}`; for the signs themselves write `{{ '{{' }}`";
                return Err(template(Bad::new("`{{` is not closed", help)));
            };
            texts.push(rest[..start].to_owned());
            places.push(place(&inside[..end])?);
            rest = &inside[end + 2..];
            if places.len() > PLACES_MAX {
                let what = format!("the text has more than {PLACES_MAX} places to fill in");
                return Err(template(Bad::new(what, "put it into a file")));
            }
        }
        texts.push(rest.to_owned());
        let mut mentions = Mentions::default();
        for place in &places {
            mentions.merge(place.mentions());
        }
        Ok(Self { texts, places, mentions })
    }

    pub fn mentions(&self) -> &Mentions {
        &self.mentions
    }

    pub fn render(&self, context: &Context) -> Result<String, String> {
        self.fill(|_, place| place.text(context))
    }

    /// As [`render`](Self::render), but a text that is one place and nothing else keeps the type of its value.
    pub fn render_json(&self, context: &Context) -> Result<Json, String> {
        match (&self.texts[..], &self.places[..]) {
            ([before, after], [place]) if before.is_empty() && after.is_empty() => place.json(context),
            _ => self.render(context).map(Json::String),
        }
    }

    pub(super) fn fill(
        &self,
        mut value: impl FnMut(usize, &Expression) -> Result<String, String>,
    ) -> Result<String, String> {
        let mut filled = self.texts[0].clone();
        for (index, (place, text)) in self.places.iter().zip(&self.texts[1..]).enumerate() {
            filled.push_str(&value(index, place)?);
            filled.push_str(text);
            check_room(filled.len())?;
        }
        Ok(filled)
    }
}

fn place(source: &str) -> Result<Expression, Bad> {
    if source.starts_with('-') || source.ends_with('-') {
        let help = "write `{{ … }}` with a space after the braces";
        return Err(template(Bad::new("`{{-` and `-}}` are not supported", help)));
    }
    Expression::parse(source.trim()).map_err(template)
}

fn template(bad: Bad) -> Bad {
    let code = if bad.code == Code::BadExpression { Code::BadTemplate } else { bad.code };
    Bad { code, ..bad }
}

/// Where the `}}` is that closes the place: not in a text of the expression, not in an object of it.
fn end_of_place(inside: &str) -> Option<usize> {
    let bytes = inside.as_bytes();
    let (mut quote, mut open, mut index) = (None, 0_usize, 0);
    while index < bytes.len() {
        match (quote, bytes[index]) {
            (Some(_), b'\\') => index += 1,
            (Some(sign), byte) if byte == sign => quote = None,
            (Some(_), _) => {}
            (None, sign @ (b'\'' | b'"')) => quote = Some(sign),
            (None, b'{') => open += 1,
            (None, b'}') if open > 0 => open -= 1,
            (None, b'}') if bytes.get(index + 1) == Some(&b'}') => return Some(index),
            (None, _) => {}
        }
        index += 1;
    }
    None
}
