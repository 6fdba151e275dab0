// SPDX-License-Identifier: MIT
//! Layouts: the positions of an id's fields, and the arithmetic on ids that needs only these.

use std::fmt;
use std::str::FromStr;

use frazil_sys as sys;

use crate::error::{Error, Reason, Result};

/// A layout of ids: a preset such as `twitter`, or a description such as `41/10/12 epoch=2026-01-01 tick=1ms`.
///
/// ```
/// use frazil::{Fields, Layout};
///
/// let layout: Layout = "twitter".parse()?;
/// let fields = layout.decompose(1541815603606036480)?;
/// assert_eq!(fields, Fields { unix_ms: 1656432460105, worker: 378, sequence: 0 });
/// assert_eq!(layout.compose(&fields)?, 1541815603606036480);
/// # Ok::<(), frazil::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Layout(pub(crate) sys::frazil_layout);

/// The fields of one id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fields {
    /// Start of the id's tick.
    pub unix_ms: i64,
    /// The whole worker number, including the datacenter.
    pub worker: u32,
    /// The number within the tick.
    pub sequence: u32,
}

/// What a layout can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LayoutInfo {
    /// How many worker ids there are.
    pub workers: u64,
    /// How many ids one worker can issue per tick.
    pub ids_per_tick: u64,
    /// How many ids one worker can issue per second, rounded down.
    pub ids_per_second: u64,
    /// The epoch.
    pub first_unix_ms: i64,
    /// Start of the last tick.
    pub last_unix_ms: i64,
    /// Largest id; 0 for snos.
    pub max_id: u64,
    /// When ids become negative as signed numbers; 0 if never.
    pub sign_bit_unix_ms: i64,
    /// Bits in use.
    pub total_bits: u32,
    /// Whether ids become negative as signed 64-bit numbers.
    pub reaches_sign_bit: bool,
    /// Whether each id is exact in a double.
    pub fits_53_bits: bool,
}

/// The consequences of a move from one layout to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Overlap {
    /// The largest id that the old layout can have issued before the change.
    pub old_last: u64,
    /// The smallest id that the new layout can issue from the change on.
    pub new_first: u64,
    /// The first instant from which every new id is above every old one.
    pub safe_unix_ms: i64,
    /// Whether a new id can equal an old one.
    pub can_collide: bool,
    /// Whether a new id can sort before an old one.
    pub can_missort: bool,
    /// Whether the new layout passes `old_last` within its life.
    pub ever_safe: bool,
}

impl Layout {
    /// Returns all presets, in the order of the manual.
    pub fn presets() -> impl Iterator<Item = Layout> {
        // SAFETY: a preset is never freed; NULL ends them.
        (0..).map_while(|i| unsafe { sys::frazil_layout_preset(i).as_ref() }.copied().map(Layout))
    }

    /// Returns the name of the preset with these fields, or `"custom"`.
    pub fn name(&self) -> &str {
        let bytes = &self.0.name;
        let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        // SAFETY: as many bytes as there are, and any u8 is as good as a c_char.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<u8>(), len) };
        std::str::from_utf8(bytes).unwrap_or("?")
    }

    /// Returns whether the ids of the layout are snos.
    pub fn is_sno(&self) -> bool {
        self.0.kind == sys::FRAZIL_LAYOUT_SNO
    }

    /// Returns a text from which [`Layout::from_str`] makes the same layout. Equal layouts may have different texts.
    pub fn fingerprint(&self) -> String {
        let mut bytes = [0u8; sys::FRAZIL_FINGERPRINT_SIZE];
        let mut len = 0;
        // SAFETY: the buffer has room for every fingerprint.
        let code = unsafe { sys::frazil_layout_fingerprint(&self.0, bytes.as_mut_ptr().cast(), bytes.len(), &mut len) };
        assert_eq!(code, sys::FRAZIL_OK, "a layout has a fingerprint");
        String::from_utf8_lossy(&bytes[..len]).into_owned()
    }

    /// Returns the start of tick 0.
    pub fn epoch_unix_ms(&self) -> i64 {
        self.0.epoch_unix_ms
    }

    /// Returns the length of a tick.
    pub fn tick_ms(&self) -> u32 {
        self.0.tick_ms
    }

    /// Returns what the layout can hold.
    pub fn info(&self) -> LayoutInfo {
        let info = self.raw_info();
        LayoutInfo {
            workers: info.workers,
            ids_per_tick: info.ids_per_tick,
            ids_per_second: info.ids_per_second,
            first_unix_ms: info.first_unix_ms,
            last_unix_ms: info.last_unix_ms,
            max_id: info.max_id,
            sign_bit_unix_ms: info.sign_bit_unix_ms,
            total_bits: info.total_bits,
            reaches_sign_bit: info.reaches_sign_bit != 0,
            fits_53_bits: info.fits_53_bits != 0,
        }
    }

    fn raw_info(&self) -> sys::frazil_layout_info {
        // SAFETY: zeros are a value of the struct, and the library fills it.
        unsafe {
            let mut info: sys::frazil_layout_info = std::mem::zeroed();
            sys::frazil_layout_get_info(&self.0, &mut info, std::mem::size_of_val(&info));
            info
        }
    }

    /// Returns the id with the given fields; the time is rounded down to its tick.
    pub fn compose(&self, fields: &Fields) -> Result<u64> {
        let fields = sys::frazil_fields {
            unix_ms: fields.unix_ms,
            worker: fields.worker,
            sequence: fields.sequence,
            datacenter: 0,
            worker_in_datacenter: 0,
            reserved: [0; 2],
        };
        let mut id = 0;
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe { sys::frazil_id_compose(&self.0, &fields, &mut id, why.as_mut_ptr()) };
        why.check(code).map(|()| id)
    }

    /// Returns the fields of an id. Returns [`Code::ERANGE`](crate::Code::ERANGE) if the id does not fit this layout.
    pub fn decompose(&self, id: u64) -> Result<Fields> {
        // SAFETY: zeros are a value of the struct.
        let mut fields: sys::frazil_fields = unsafe { std::mem::zeroed() };
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe { sys::frazil_id_decompose(&self.0, id, &mut fields, why.as_mut_ptr()) };
        why.check(code).map(|()| Fields {
            unix_ms: fields.unix_ms,
            worker: fields.worker,
            sequence: fields.sequence,
        })
    }

    /// Returns the datacenter of a worker number; 0 if the layout does not split it.
    pub fn datacenter_of(&self, worker: u32) -> u32 {
        (u64::from(worker) / self.raw_info().workers_in_datacenter) as u32
    }

    /// Returns the worker number inside its datacenter.
    pub fn worker_in_datacenter(&self, worker: u32) -> u32 {
        (u64::from(worker) % self.raw_info().workers_in_datacenter) as u32
    }

    /// Returns the whole worker number of a datacenter and a worker inside it.
    pub fn worker_of(&self, datacenter: u32, worker: u32) -> Result<u32> {
        let info = self.raw_info();
        if u64::from(datacenter) >= info.datacenters || u64::from(worker) >= info.workers_in_datacenter {
            return Err(Error::of(sys::FRAZIL_ERANGE));
        }
        Ok((u64::from(datacenter) * info.workers_in_datacenter + u64::from(worker)) as u32)
    }

    /// Returns the smallest id of the tick that contains an instant, for ranges in databases.
    pub fn first_id(&self, unix_ms: i64) -> u64 {
        // SAFETY: pure.
        unsafe { sys::frazil_id_first(&self.0, unix_ms) }
    }

    /// Returns the smallest and the largest id of the ticks from one instant to another, both included.
    pub fn range(&self, from_unix_ms: i64, to_unix_ms: i64) -> Result<(u64, u64)> {
        let (mut first, mut last) = (0, 0);
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe {
            sys::frazil_id_range(
                &self.0,
                from_unix_ms,
                to_unix_ms,
                &mut first,
                &mut last,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| (first, last))
    }

    /// Returns whether ids can collide or sort wrongly if `after` replaces this layout at the given instant.
    pub fn overlap(&self, after: &Layout, since_unix_ms: i64) -> Result<Overlap> {
        let mut why = Reason::new();
        // SAFETY: zeros are a value of the struct, and the library fills it.
        let (code, found) = unsafe {
            let mut found: sys::frazil_overlap = std::mem::zeroed();
            let size = std::mem::size_of_val(&found);
            let code = sys::frazil_layout_overlap(&self.0, &after.0, since_unix_ms, &mut found, size, why.as_mut_ptr());
            (code, found)
        };
        why.check(code).map(|()| Overlap {
            old_last: found.old_last,
            new_first: found.new_first,
            safe_unix_ms: found.safe_unix_ms,
            can_collide: found.can_collide != 0,
            can_missort: found.can_missort != 0,
            ever_safe: found.ever_safe != 0,
        })
    }
}

impl FromStr for Layout {
    type Err = Error;
    fn from_str(text: &str) -> Result<Layout> {
        let mut why = Reason::new();
        // SAFETY: the text is of that length; zeros are a value of the struct.
        let (code, layout) = unsafe {
            let mut layout: sys::frazil_layout = std::mem::zeroed();
            let code = sys::frazil_layout_parse(text.as_ptr().cast(), text.len(), &mut layout, why.as_mut_ptr());
            (code, layout)
        };
        why.check(code).map(|()| Layout(layout))
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({}: {})", self.name(), self.fingerprint())
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Layout) -> bool {
        // SAFETY: both are valid.
        unsafe { sys::frazil_layout_equal(&self.0, &other.0) }
    }
}

impl Eq for Layout {}
