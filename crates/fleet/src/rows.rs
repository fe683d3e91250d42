//! Rows: records as the server's tables hold them, written for COPY or for INSERT, cleaned of what no server takes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use throughline_domain::time::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Response, Sample};

use crate::literal;
use crate::sync::{ProjectForm, Record, Sender, Table};

/// Most bytes of an id, a model, a name: longer ones do not fit into an index.
const WORD_BYTES_MAX: usize = 256;
/// Most bytes of a path.
const PATH_BYTES_MAX: usize = 1024;
/// The server's averages have three digits before the point.
const PERCENT_MAX: u16 = 999;
/// 2000-01-01, where the server's clock begins, in microseconds since 1970.
const SERVER_EPOCH_MICROS: i64 = 946_684_800_000_000;
const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const COPY_TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

impl Table {
    /// The table on the server.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Samples => "context_usage_log",
            Self::Responses => "context_usage_responses",
            Self::Compactions => "context_usage_compactions",
        }
    }

    /// The columns that are sent, in the order in which a row writes them.
    pub(crate) fn columns(self) -> &'static str {
        match self {
            Self::Samples => {
                "\"timestamp\", id, session_id, model_id, context_used, context_size, usage_percent, input_tokens, \
                 output_tokens, cache_creation_tokens, cache_read_tokens, status, compaction_detected, \
                 working_directory, previous_percent, compacts_at, cost_micros, signs, project, agent, user_name, machine"
            }
            Self::Responses => {
                "\"timestamp\", id, session_id, model_id, tier, is_sidechain, input_tokens, output_tokens, \
                 cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens, web_searches, context_tokens, \
                 project, agent, user_name, machine"
            }
            Self::Compactions => {
                "\"timestamp\", id, session_id, model_id, is_auto, tokens_before, tokens_after, project, agent, \
                 user_name, machine"
            }
        }
    }

    /// What to do with a row that is there already. A sample never changes. Of a response more may be known later
    /// (its last line came), and then its numbers do.
    pub(crate) fn on_conflict(self) -> &'static str {
        match self {
            Self::Samples => "ON CONFLICT (\"timestamp\", id) DO NOTHING",
            Self::Responses => {
                "ON CONFLICT (\"timestamp\", id) DO UPDATE SET model_id = excluded.model_id, tier = excluded.tier, \
                 is_sidechain = excluded.is_sidechain, input_tokens = excluded.input_tokens, \
                 output_tokens = excluded.output_tokens, \
                 cache_creation_5m_tokens = excluded.cache_creation_5m_tokens, \
                 cache_creation_1h_tokens = excluded.cache_creation_1h_tokens, \
                 cache_read_tokens = excluded.cache_read_tokens, web_searches = excluded.web_searches, \
                 context_tokens = excluded.context_tokens \
                 WHERE (known.model_id, known.tier, known.is_sidechain, known.input_tokens, known.output_tokens, \
                 known.cache_creation_5m_tokens, known.cache_creation_1h_tokens, known.cache_read_tokens, \
                 known.web_searches, known.context_tokens) IS DISTINCT FROM (excluded.model_id, excluded.tier, excluded.is_sidechain, \
                 excluded.input_tokens, excluded.output_tokens, excluded.cache_creation_5m_tokens, \
                 excluded.cache_creation_1h_tokens, excluded.cache_read_tokens, excluded.web_searches, \
                 excluded.context_tokens)"
            }
            Self::Compactions => {
                "ON CONFLICT (\"timestamp\", id) DO UPDATE SET tokens_after = excluded.tokens_after \
                 WHERE known.tokens_after IS DISTINCT FROM excluded.tokens_after \
                 AND excluded.tokens_after IS NOT NULL"
            }
        }
    }

    /// Where a machine's place in the sending is kept.
    pub(crate) fn sent_column(self) -> &'static str {
        match self {
            Self::Samples => "samples_sent",
            Self::Responses => "responses_sent",
            Self::Compactions => "compactions_sent",
        }
    }
}

/// One value of a row.
enum Cell<'a> {
    Null,
    Bool(bool),
    Small(i16),
    Whole(i32),
    Big(i64),
    Text(Cow<'a, str>),
    Uuid([u8; 16]),
    At(Timestamp),
}

/// Rows ready to be sent, and what has to be known about them.
#[derive(Default)]
pub(crate) struct Written {
    /// The rows, in COPY's binary form or as the tuples of an INSERT.
    pub(crate) bytes: Vec<u8>,
    /// How many rows these are.
    pub(crate) rows: usize,
    /// Rows in which something was cut, cleaned or brought into range.
    pub(crate) cleaned: usize,
    /// The first and the last instant of each UTC day: every day of any zone that the rows touch holds one of them.
    pub(crate) instants: Vec<Timestamp>,
}

/// Writes rows for `COPY … (FORMAT binary)`.
pub(crate) fn for_copy<'a>(
    records: impl Iterator<Item = &'a Record>,
    sender: &Sender,
    salt: &str,
) -> Written {
    let mut written = Written { bytes: COPY_HEADER.to_vec(), ..Written::default() };
    write(records, sender, salt, &mut written, |bytes, cells| {
        bytes.extend_from_slice(&i16::try_from(cells.len()).unwrap_or(i16::MAX).to_be_bytes());
        for cell in cells {
            copy_cell(bytes, cell);
        }
    });
    written.bytes.extend_from_slice(&COPY_TRAILER);
    written
}

/// Writes rows as the tuples of an `INSERT … VALUES`.
pub(crate) fn for_insert<'a>(
    records: impl Iterator<Item = &'a Record>,
    sender: &Sender,
    salt: &str,
) -> Written {
    let mut written = Written::default();
    write(records, sender, salt, &mut written, |bytes, cells| {
        bytes.extend_from_slice(if bytes.is_empty() { b"(" } else { b",\n(" });
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                bytes.push(b',');
            }
            bytes.extend_from_slice(literal_cell(cell).as_bytes());
        }
        bytes.push(b')');
    });
    written
}

fn write<'a>(
    records: impl Iterator<Item = &'a Record>,
    sender: &Sender,
    salt: &str,
    written: &mut Written,
    mut each: impl FnMut(&mut Vec<u8>, &[Cell<'a>]),
) {
    let mut known = HashSet::new();
    let mut days: BTreeMap<i64, (Timestamp, Timestamp)> = BTreeMap::new();
    let mut row = Vec::with_capacity(24);
    for record in records {
        let at = record.at();
        // The server refuses a statement that touches one row twice.
        if !known.insert((at, record.id())) {
            continue;
        }
        let mut cleaner = Cleaner { sender, salt, cleaned: false };
        row.clear();
        cleaner.cells(record, &mut row);
        each(&mut written.bytes, &row);
        written.rows += 1;
        written.cleaned += usize::from(cleaner.cleaned);
        let day = days.entry(at.as_second().div_euclid(86_400)).or_insert((at, at));
        *day = (day.0.min(at), day.1.max(at));
    }
    written.instants = days.into_values().flat_map(|(first, last)| [first, last]).collect();
    written.instants.dedup();
}

/// Brings values into the form that the server takes, and remembers whether it had to.
struct Cleaner<'s> {
    sender: &'s Sender,
    salt: &'s str,
    cleaned: bool,
}

impl Cleaner<'_> {
    fn cells<'a>(&mut self, record: &'a Record, row: &mut Vec<Cell<'a>>) {
        row.extend([Cell::At(record.at()), Cell::Uuid(record.id().0)]);
        let project = match record {
            Record::Sample(sample) => {
                self.sample(sample, row);
                &sample.project
            }
            Record::Response(response) => {
                self.response(response, row);
                &response.project
            }
            Record::Boundary(boundary) => {
                self.boundary(boundary, row);
                &boundary.project
            }
        };
        let agent = self.sender.agents.get(record.session()).unwrap_or(&self.sender.agent).clone();
        let agent = self.text(Cow::Owned(agent), WORD_BYTES_MAX);
        let user = match self.sender.user_name.clone() {
            Some(user) => self.text(Cow::Owned(user), WORD_BYTES_MAX),
            None => Cell::Null,
        };
        row.extend([self.project(project), agent, user, Cell::Uuid(self.sender.machine.0)]);
    }

    fn sample<'a>(&mut self, sample: &'a Sample, row: &mut Vec<Cell<'a>>) {
        row.extend([
            self.word(&sample.session),
            self.word(&sample.model),
            self.whole(sample.context_used),
            self.whole(sample.context_size),
            self.percent(sample.percent),
            self.whole(sample.input),
            self.whole(sample.output),
            self.whole(sample.cache_create),
            self.whole(sample.cache_read),
            Cell::Text(Cow::Borrowed(sample.status.word())),
            Cell::Bool(sample.compaction),
            match self.sender.project {
                ProjectForm::Path => self.text(Cow::Borrowed(&sample.cwd), PATH_BYTES_MAX),
                ProjectForm::Name | ProjectForm::Hash => Cell::Null,
            },
            sample.previous_percent.map_or(Cell::Null, |percent| self.percent(percent)),
            sample.compacts_at.map_or(Cell::Null, |tokens| self.whole(tokens)),
            sample.cost_micros.map_or(Cell::Null, |cost| Cell::Big(i64::try_from(cost).unwrap_or(i64::MAX))),
            if sample.signs.any() {
                Cell::Text(Cow::Owned(sample.signs.words().collect::<Vec<_>>().join(",")))
            } else {
                Cell::Null
            },
        ]);
    }

    fn response<'a>(&mut self, response: &'a Response, row: &mut Vec<Cell<'a>>) {
        let tokens = &response.tokens;
        row.extend([
            self.word(&response.session),
            self.word(&response.model),
            Cell::Text(Cow::Owned(response.tier.word())),
            Cell::Bool(response.is_sidechain),
            self.whole(tokens.input),
            self.whole(tokens.output),
            self.whole(tokens.cache_write_5m),
            self.whole(tokens.cache_write_1h),
            self.whole(tokens.cache_read),
            self.whole(tokens.web_searches),
            self.whole(response.context),
        ]);
    }

    fn boundary<'a>(&mut self, boundary: &'a Boundary, row: &mut Vec<Cell<'a>>) {
        row.extend([
            self.word(&boundary.session),
            self.word(&boundary.model),
            Cell::Bool(boundary.is_auto),
            self.whole(boundary.tokens_before),
            boundary.tokens_after.map_or(Cell::Null, |tokens| self.whole(tokens)),
        ]);
    }

    fn project<'a>(&mut self, project: &'a str) -> Cell<'a> {
        match self.sender.project {
            ProjectForm::Path => self.text(Cow::Borrowed(project), PATH_BYTES_MAX),
            ProjectForm::Name => {
                let name = project.trim_end_matches('/').rsplit('/').next().unwrap_or(project);
                self.text(Cow::Borrowed(name), WORD_BYTES_MAX)
            }
            // The fleet's id is in it: the same path is the same project here, and nothing elsewhere.
            ProjectForm::Hash if project.is_empty() => Cell::Text(Cow::Borrowed("")),
            ProjectForm::Hash => Cell::Text(Cow::Owned(RecordId::of(&[self.salt, project]).as_uuid())),
        }
    }

    fn word<'a>(&mut self, text: &'a str) -> Cell<'a> {
        self.text(Cow::Borrowed(text), WORD_BYTES_MAX)
    }

    fn text<'a>(&mut self, mut text: Cow<'a, str>, bytes_max: usize) -> Cell<'a> {
        if text.contains('\0') {
            self.cleaned = true;
            text = Cow::Owned(text.replace('\0', ""));
        }
        if text.len() > bytes_max {
            self.cleaned = true;
            let end = text.floor_char_boundary(bytes_max);
            text = Cow::Owned(text[..end].to_owned());
        }
        Cell::Text(text)
    }

    fn whole<'a>(&mut self, number: u64) -> Cell<'a> {
        Cell::Whole(i32::try_from(number).unwrap_or_else(|_| {
            self.cleaned = true;
            i32::MAX
        }))
    }

    fn percent<'a>(&mut self, percent: u16) -> Cell<'a> {
        self.cleaned |= percent > PERCENT_MAX;
        Cell::Small(i16::try_from(percent.min(PERCENT_MAX)).unwrap_or_default())
    }
}

fn copy_cell(bytes: &mut Vec<u8>, cell: &Cell<'_>) {
    let mut put = |value: &[u8]| {
        bytes.extend_from_slice(&i32::try_from(value.len()).unwrap_or(i32::MAX).to_be_bytes());
        bytes.extend_from_slice(value);
    };
    match cell {
        Cell::Null => bytes.extend_from_slice(&(-1_i32).to_be_bytes()),
        Cell::Bool(value) => put(&[u8::from(*value)]),
        Cell::Small(value) => put(&value.to_be_bytes()),
        Cell::Whole(value) => put(&value.to_be_bytes()),
        Cell::Big(value) => put(&value.to_be_bytes()),
        Cell::Text(value) => put(value.as_bytes()),
        Cell::Uuid(value) => put(value),
        Cell::At(at) => put(&(at.as_microsecond() - SERVER_EPOCH_MICROS).to_be_bytes()),
    }
}

fn literal_cell(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Bool(value) => value.to_string(),
        Cell::Small(value) => value.to_string(),
        Cell::Whole(value) => value.to_string(),
        Cell::Big(value) => value.to_string(),
        Cell::Text(value) => literal::text(value),
        Cell::Uuid(value) => format!("'{}'", RecordId(*value).as_uuid()),
        Cell::At(at) => literal::instant(*at),
    }
}
