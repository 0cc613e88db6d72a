//! Commands that answer line by line: what they are asked stands in the arguments or, without any, on standard input.

use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};

use super::Exit;
use super::message::Error;
use crate::output::escape::Escape;

/// How an answer turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It resolves, or is valid.
    Good,
    /// It does not.
    Bad,
}

/// Returns what is escaped on standard output: all control characters on a terminal, line breaks
/// elsewhere, so that a line is an answer.
pub(super) fn escape() -> Escape {
    match io::stdout().is_terminal() {
        true => Escape::Controls,
        false => Escape::LineBreaks,
    }
}

/// As much output as is gathered.
const GATHERED: usize = 64 * 1024;

/// Has every question answered, in order.
pub(super) fn answer(
    questions: &[OsString],
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Answer,
) -> Result<Exit, Error> {
    let mut answers = Answers::default();
    let result = if questions.is_empty() {
        answer_lines(&mut answers, answer)
    } else {
        let mut questions = questions.iter().map(|question| question.as_encoded_bytes());
        questions.try_for_each(|question| answers.add(0, |out| answer(question, out)))
    };
    match result.and_then(|()| answers.write()) {
        // The reader has had enough, which is no failure of ours.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Found),
        Err(error) => Err(Error::new(format!("cannot go on: {error}"))),
        Ok(()) if answers.bad + answers.good == 0 || answers.bad > 0 => Ok(Exit::Nothing),
        Ok(()) => Ok(Exit::Found),
    }
}

fn answer_lines(
    answers: &mut Answers,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Answer,
) -> io::Result<()> {
    let mut input = io::stdin().lock();
    // Who types wants to see the answer before the next question.
    let gathered = if input.is_terminal() { 0 } else { GATHERED };
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        answers.add(gathered, |out| answer(text, out))?;
        line.clear();
    }
    Ok(())
}

/// The answers so far.
#[derive(Default)]
struct Answers {
    out: Vec<u8>,
    good: u64,
    bad: u64,
}

impl Answers {
    fn add(
        &mut self,
        gathered: usize,
        answer: impl FnOnce(&mut Vec<u8>) -> Answer,
    ) -> io::Result<()> {
        match answer(&mut self.out) {
            Answer::Good => self.good += 1,
            Answer::Bad => self.bad += 1,
        }
        if self.out.len() > gathered {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(&self.out)?;
        self.out.clear();
        stdout.flush()
    }
}
