//! `import`: what `export` wrote comes into this project, or the entries of another state file.

mod entries;
mod everything;

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::App;
use crate::failure::Failure;
use crate::given;

/// Longest state that is read.
const STATE_BYTES_MAX: u64 = throughline_domain::limits::STATE_FILE_BYTES_MAX;
/// Longest bundle that is taken from a pipe: it is read twice, and kept until then.
const PIPED_BYTES_MAX: u64 = throughline_domain::limits::PIPED_BYTES_MAX;
/// What a packed file begins with.
const PACKED: [u8; 2] = [0x1f, 0x8b];

/// Take in what `export` wrote, the entries of another state file, or of `.idumb/brain/state.json`
///
/// A file that `export --output` wrote is read to its end and checked before anything of it is taken. Then everything in it
/// becomes part of this project, wherever that is: entries keep their ids where these are free, else the old id as an alias;
/// what is here already is known again; nothing that stands here is written over, and what differs is named. A run that was
/// killed is completed by the next one. What a person imports counts as theirs; entries that were only quoted there are
/// quoted here too, until `throughline trust`. Secrets are masked once more. What was forgotten here comes back if it is in
/// the file: importing it is your word.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline import app.throughline            # everything that another machine or folder remembered
  throughline import app.throughline --dry-run  # what is in it, and what would not fit
  throughline import state.json                 # the entries of a working set
  throughline import .idumb/brain/state.json")]
pub(crate) struct Args {
    /// The file; `-` reads standard input
    file: PathBuf,
    /// Take one that unpacks to more than a memory usually has: for a file whose maker you know
    #[arg(long)]
    large: bool,
    /// Only say what would be taken
    #[arg(long)]
    dry_run: bool,
    /// Tell it as JSON; only of what `export --output` wrote
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let name = given::name(&args.file);
    let failed = |error: std::io::Error| Failure::new(format!("could not read {name}: {error}"));
    let mut source = given::source(&args.file)?;
    if args.file.is_file() {
        let mut file = given::open(&args.file)?;
        let mut head = [0; 2];
        let is_packed = file.read_exact(&mut head).is_ok() && head == PACKED;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        if is_packed {
            return everything::run(app, &name, &mut file, args);
        }
    }
    let mut bytes = Vec::new();
    (&mut source).take(2).read_to_end(&mut bytes).map_err(failed)?;
    let is_packed = bytes == PACKED;
    let bytes_max = if is_packed { PIPED_BYTES_MAX } else { STATE_BYTES_MAX };
    source.take(bytes_max - 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        let hint =
            if is_packed { "save it to a file first" } else { "import it in parts: each a state of its own" };
        return Err(Failure::new(format!("{name} holds more than {bytes_max} bytes")).hint(hint));
    }
    if is_packed {
        return everything::run(app, &name, &mut Cursor::new(bytes), args);
    }
    entries::run(app, &name, bytes, args.dry_run)
}
