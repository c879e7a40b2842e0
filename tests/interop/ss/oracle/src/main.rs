//! SeaStreamer's own reader and writer behind a line protocol. Standard input holds one job a line, standard output gets one
//! answer a line: `ok` and perhaps a number, or `error` and why. Fields are separated by tabs.
//!
//!     write   SCRIPT FILE      the low-level writer makes FILE
//!     produce SCRIPT FILE      a producer opens FILE and sends the messages; it numbers and stamps them itself
//!     read    FILE LISTING     the reader's messages, one a line
//!     seek    FILE KEY N       the reader's search for sequence N: where the message ends on which it lands
//!
//! Lines of a script: `file NAME CREATED_MS INTERVAL`, `message KEY SHARD SEQ TS_MS START SIZE` (byte i of the payload is
//! START + i, modulo 256), `eos TS_MS`. Lines of a listing: `KEY SHARD SEQ TS_MS SIZE HASH` (64-bit FNV-1a of the payload).

use sea_streamer_file::{
    is_end_of_stream, FileConnectOptions, FileErr, FileId, FileStreamer, MessageSink, MessageSource,
    SeekTarget, StreamMode, DEFAULT_FILE_SIZE_LIMIT,
};
use sea_streamer_types::{
    Buffer, Message as _, MessageHeader, OwnedMessage, Producer as _, ShardId, StreamKey, Streamer as _,
    Timestamp,
};
use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::path::Path;

type Outcome = Result<String, String>;

fn text(e: impl std::fmt::Display) -> String {
    e.to_string().replace(['\n', '\t'], " ")
}

struct Line<'a>(std::str::Split<'a, char>);

impl<'a> Line<'a> {
    fn word(&mut self) -> Result<&'a str, String> {
        self.0.next().ok_or_else(|| "a field is missing".to_owned())
    }
    fn number(&mut self) -> Result<u64, String> {
        self.word()?.parse().map_err(text)
    }
    fn time(&mut self) -> Result<Timestamp, String> {
        Timestamp::from_unix_timestamp_nanos(i128::from(self.number()?) * 1_000_000).map_err(text)
    }
    fn key(&mut self) -> Result<StreamKey, String> {
        StreamKey::new(self.word()?).map_err(text)
    }
}

fn counted(start: u64, size: u64) -> Vec<u8> {
    (start..start + size).map(|b| b as u8).collect()
}

struct Script {
    name: String,
    created_ms: u64,
    interval: u32,
    messages: Vec<OwnedMessage>,
}

fn load(path: &str) -> Result<Script, String> {
    let all = std::fs::read_to_string(path).map_err(text)?;
    let mut script = Script { name: String::new(), created_ms: 0, interval: 0, messages: Vec::new() };
    for one in all.lines() {
        let mut line = Line(one.split('\t'));
        match line.word()? {
            "file" => {
                script.name = line.word()?.to_owned();
                script.created_ms = line.number()?;
                script.interval = u32::try_from(line.number()?).map_err(text)?;
            }
            "message" => {
                let (key, shard, seq) = (line.key()?, line.number()?, line.number()?);
                let header = MessageHeader::new(key, ShardId::new(shard), seq, line.time()?);
                let payload = counted(line.number()?, line.number()?);
                script.messages.push(OwnedMessage::new(header, payload));
            }
            "eos" => {
                let key = StreamKey::new("SEA_STREAMER_INTERNAL").map_err(text)?;
                let header = MessageHeader::new(key, ShardId::new(0), 0, line.time()?);
                script.messages.push(OwnedMessage::new(header, b"EOS".to_vec()));
            }
            other => return Err(format!("a script has no {other}")),
        }
    }
    Ok(script)
}

/// The header holds the name under which the writer made the file, and the clock's time: the file is made in a folder of its
/// own, and the time is put right afterwards.
async fn write(script: &str, file: &str) -> Outcome {
    let script = load(script)?;
    let folder = format!("{file}.made");
    std::fs::create_dir_all(&folder).map_err(text)?;
    let made = Path::new(&folder).join(&script.name);
    let id = FileId::new(made.to_str().ok_or("the path is not UTF-8")?);
    let mut sink = MessageSink::new(id, script.interval, DEFAULT_FILE_SIZE_LIMIT)
        .await
        .map_err(text)?;
    for message in script.messages {
        sink.write(message).map_err(text)?;
    }
    sink.end(false).await.map_err(text)?;
    let mut bytes = std::fs::read(&made).map_err(text)?;
    let at = 4 + script.name.len();
    bytes[at..at + 8].copy_from_slice(&script.created_ms.to_be_bytes());
    std::fs::write(file, bytes).map_err(text)?;
    std::fs::remove_dir_all(&folder).map_err(text)?;
    Ok(String::new())
}

async fn produce(script: &str, file: &str) -> Outcome {
    let script = load(script)?;
    let mut options = FileConnectOptions::default();
    options.set_create_if_not_exists(true);
    let uri = FileId::new(file).to_streamer_uri().map_err(text)?;
    let streamer = FileStreamer::connect(uri, options).await.map_err(text)?;
    let producer = streamer
        .create_generic_producer(Default::default())
        .await
        .map_err(text)?;
    for message in &script.messages {
        let key = message.header().stream_key();
        let sent = producer
            .send_to(key, message.message().as_bytes())
            .map_err(text)?;
        sent.await.map_err(text)?;
    }
    streamer.disconnect().await.map_err(text)?;
    Ok(String::new())
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

async fn open(file: &str) -> Result<MessageSource, String> {
    MessageSource::new(FileId::new(file), StreamMode::Replay)
        .await
        .map_err(text)
}

async fn read(file: &str, listing: &str) -> Outcome {
    let mut source = open(file).await?;
    let mut lines = String::new();
    let mut messages = 0u64;
    loop {
        let message = match source.next().await {
            Ok(next) => next.message,
            Err(FileErr::NotEnoughBytes) => break,
            Err(e) => return Err(format!("after {messages} messages: {}", text(e))),
        };
        messages += 1;
        let h = message.header();
        let payload = message.message();
        let _ = writeln!(
            lines,
            "{}\t{}\t{}\t{}\t{}\t{}",
            h.stream_key().name(),
            h.shard_id().id(),
            h.sequence(),
            h.timestamp().unix_timestamp_nanos() / 1_000_000,
            payload.size(),
            fnv1a(payload.as_bytes())
        );
        if is_end_of_stream(&message) {
            break;
        }
    }
    std::fs::write(listing, lines).map_err(text)?;
    Ok(messages.to_string())
}

async fn seek(file: &str, key: StreamKey, sequence: u64) -> Outcome {
    let mut source = open(file).await?;
    let target = SeekTarget::SeqNo(sequence);
    source.seek(&key, &ShardId::new(0), target).await.map_err(text)?;
    source.next().await.map_err(text)?;
    Ok(source.offset().to_string())
}

async fn run(job: String) -> Outcome {
    let mut line = Line(job.split('\t'));
    match line.word()? {
        "write" => write(line.word()?, line.word()?).await,
        "produce" => produce(line.word()?, line.word()?).await,
        "read" => read(line.word()?, line.word()?).await,
        "seek" => seek(line.word()?, line.key()?, line.number()?).await,
        other => Err(format!("there is no job {other}")),
    }
}

#[tokio::main]
async fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = std::io::stdout().lock();
    for job in std::io::stdin().lock().lines() {
        let job = job.expect("standard input is text");
        // A task of its own, so that a panic of the library is this job's failure only.
        let answer = match tokio::spawn(run(job)).await {
            Ok(Ok(found)) => format!("ok\t{found}"),
            Ok(Err(why)) => format!("error\t{why}"),
            Err(_) => "error\tpanic".to_owned(),
        };
        writeln!(out, "{answer}").expect("standard output can be written");
    }
}
