//! Replaces tables in a build without the feature `arrow`.

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;

use crate::linker::Link;
use crate::output::layout::Layout;
use crate::output::record::DocumentPath;

#[derive(Clone, Copy, Debug)]
pub(crate) enum TableFormat {}

pub(crate) type RowBlock = RowBuilder;

#[derive(Debug, Default)]
pub(crate) struct RowBuilder;

impl RowBuilder {
    pub(crate) fn new(_layout: &Layout) -> Self {
        RowBuilder
    }

    pub(crate) fn len(&self) -> usize {
        0
    }

    pub(crate) fn weight(&self) -> usize {
        0
    }

    pub(crate) fn push(&mut self, _path: &DocumentPath, _link: &Link<'_>) {}

    pub(crate) fn finish(&mut self) -> RowBlock {
        RowBuilder
    }
}

pub(crate) struct TableWriter<W>(Infallible, PhantomData<W>);

impl<W> TableWriter<W> {
    pub(crate) fn new(format: TableFormat, _layout: &Layout, _output: W) -> io::Result<Self> {
        match format {}
    }

    pub(crate) fn push(&mut self, _block: &RowBlock, _ranges: &[Range<usize>]) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
