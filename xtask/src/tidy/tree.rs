//! The files of the repository, read once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders that hold nothing written by hand.
const LEFT_OUT: [&str; 5] = [".git", "target", "node_modules", "dist", "generated"];
/// Where a server started in the repository keeps its data.
const DATA: &str = "data";
/// Only these are opened; of other files the name is enough.
const READ: [&str; 9] = ["rs", "md", "txt", "proto", "yaml", "json", "py", "ts", "tsx"];

pub struct Tree {
    pub root: PathBuf,
    /// Paths from the root, with `/`; the text if it is one of the kinds that are read.
    files: BTreeMap<String, Option<String>>,
    folders: Vec<String>,
}

impl Tree {
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self { root: root.to_owned(), files: BTreeMap::new(), folders: Vec::new() };
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            open.extend(tree.read_folder(&folder)?);
        }
        tree.folders.sort();
        Ok(tree)
    }

    /// A tree of the given texts, for tests of the checks.
    #[cfg(test)]
    pub fn of(texts: &[(&str, &str)]) -> Self {
        let mut tree = Self { root: PathBuf::new(), files: BTreeMap::new(), folders: Vec::new() };
        for (path, text) in texts {
            let parents = Path::new(path).ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
            tree.folders.extend(parents.map(|path| path.display().to_string()));
            tree.files.insert((*path).to_owned(), Some((*text).to_owned()));
        }
        tree.folders.sort();
        tree.folders.dedup();
        tree
    }

    /// Paths of all files and folders.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().chain(&self.folders).map(String::as_str)
    }

    /// Paths of the files whose path begins so.
    pub fn files_below(&self, start: &str) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(move |path| path.starts_with(start))
    }

    pub fn has(&self, path: &str) -> bool {
        path.is_empty() || self.files.contains_key(path) || self.folders.iter().any(|folder| folder == path)
    }

    /// Files with this ending, as (path, text).
    pub fn with_ending(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(move |(path, text)| {
            path.ends_with(ending).then_some((path.as_str(), text.as_deref()?))
        })
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    fn read_folder(&mut self, folder: &str) -> Result<Vec<String>> {
        let mut inner = Vec::new();
        let place = self.root.join(folder);
        for entry in fs::read_dir(&place).with_context(|| format!("cannot list {}", place.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) && path != DATA {
                self.folders.push(path.clone());
                inner.push(path);
            } else if kind.is_file() {
                let text = read_text(&entry.path())?;
                self.files.insert(path, text);
            }
        }
        Ok(inner)
    }
}

fn read_text(path: &Path) -> Result<Option<String>> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !READ.contains(&ending) {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8(bytes).ok())
}
