//! The buffer pool against a plain list, against closed forms, and against itself after long use.

use engine::{Duration, Instant, Stream};
use iopath::host::oltp::{FrameState, Pool, PoolConfig, Rows};

fn config(frames: u32, old_time: Duration) -> PoolConfig {
    PoolConfig { frames, old_1024: 378, old_time }
}

/// Uses a page as a server does; returns whether it was there.
fn access(pool: &mut Pool, page: u32, now: Instant) -> bool {
    let found = pool.find(page).is_some();
    if !found {
        let frame = pool.take(page).expect("nothing is dirty");
        pool.has_read(frame);
    }
    let (frame, state) = pool.find(page).expect("it was read");
    assert_eq!(state, FrameState::Clean);
    pool.touch(frame, now);
    found
}

/// InnoDB's list with a midpoint, written down plainly: front first.
struct Plain {
    list: Vec<(u32, u64, bool)>,
    frames: usize,
    gone: u64,
}

impl Plain {
    /// Where the old part begins, kept as a count from the tail within the tolerance of 20.
    fn access(&mut self, old: &mut usize, page: u32) -> bool {
        let place = self.list.iter().position(|(known, ..)| *known == page);
        let found = place.is_some();
        if !found {
            if self.list.len() == self.frames {
                self.list.pop();
                *old -= 1;
                self.gone += 1;
            }
            // With an old part it enters at its head, else at the front.
            let midpoint = if *old > 0 { self.list.len() - *old } else { 0 };
            self.list.insert(midpoint, (page, 0, false));
            *old += usize::from(*old > 0);
            self.settle(old);
        }
        let place = self.list.iter().position(|(known, ..)| *known == page).unwrap();
        let is_old = place >= self.list.len() - *old;
        let quarter = self.list.len() as u64 * (1024 - 378) / 4096;
        let (_, moved_at, _) = self.list[place];
        if (is_old || self.gone >= moved_at + quarter) && place != 0 {
            let (page, ..) = self.list.remove(place);
            *old -= usize::from(is_old);
            self.list.insert(0, (page, self.gone, false));
            self.settle(old);
        }
        found
    }

    fn settle(&self, old: &mut usize) {
        let wanted = self.list.len() * 378 / 1024;
        if *old > wanted + 20 {
            *old = wanted + 20;
        } else if *old + 20 < wanted {
            *old = wanted - 20;
        }
    }
}

#[test]
fn the_list_is_the_plain_list() {
    let frames = 200;
    let mut pool = Pool::new(config(frames, Duration::ZERO), 1000);
    let mut plain = Plain { list: Vec::new(), frames: frames as usize, gone: 0 };
    let (mut old, mut stream) = (0, Stream::new(5, "pages"));
    for i in 0..20_000 {
        // Hot and cold pages, and now and then a run of neighbours.
        let page = match stream.below(4) {
            0 => stream.below(1000) as u32,
            1 => (i / 7 % 1000) as u32,
            _ => stream.below(150) as u32,
        };
        let found = plain.access(&mut old, page);
        assert_eq!(access(&mut pool, page, Instant::ZERO), found, "use {i} of page {page}");
        if i % 500 == 0 {
            pool.audit();
            let list: Vec<u32> = pool.list().iter().map(|(page, _)| *page).collect();
            let expected: Vec<u32> = plain.list.iter().map(|(page, ..)| *page).collect();
            assert_eq!(list, expected, "after use {i}");
        }
    }
}

/// Uniform use: every page is as likely to be there as any other, so the share of hits is the
/// share of pages that fit, whatever leaves first.
#[test]
fn uniform_use_hits_as_often_as_pages_fit() {
    for (frames, pages) in [(1000, 10_000), (5000, 10_000), (9000, 10_000)] {
        for old_time in [Duration::ZERO, Duration::from_s(1)] {
            let mut pool = Pool::new(config(frames, old_time), pages);
            let mut stream = Stream::new(7, "uniform");
            let (warm, uses) = (10 * pages, 300_000);
            let mut hits = 0;
            for i in 0..warm + uses {
                let now = Instant::ZERO + Duration::from_us(u64::from(i) * 100);
                let found = access(&mut pool, stream.below(u64::from(pages)) as u32, now);
                hits += u64::from(found && i >= warm);
            }
            let (ratio, expected) =
                (hits as f64 / f64::from(uses), f64::from(frames) / f64::from(pages));
            assert!((ratio - expected).abs() < 0.01, "{ratio} for {expected}");
        }
    }
}

/// Skewed use: for least-recently-used lists Che's approximation is close. A page of rate `r` is
/// there with `1 - exp(-r T)`, and `T` is such that these add up to the frames (Che, Tung, Wang,
/// "Hierarchical Web caching systems", IEEE JSAC 2002). With no old time the list is nearly one.
#[test]
fn skewed_use_hits_as_often_as_che_says() {
    let (frames, pages, per_page) = (2000u32, 20_000u32, 50u64);
    let rows = u64::from(pages) * per_page;
    // The distribution over pages, counted.
    let mut stream = Stream::new(9, "special");
    let draws = 4_000_000;
    let mut rates = vec![0.0; pages as usize];
    for _ in 0..draws {
        rates[(Rows::Special.draw(rows, &mut stream) / per_page) as usize] += 1.0 / draws as f64;
    }
    let held = |t: f64| rates.iter().map(|r| 1.0 - libm::exp(-r * t)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if held(middle) < f64::from(frames) { low = middle } else { high = middle }
    }
    let expected: f64 = rates.iter().map(|r| r * (1.0 - libm::exp(-r * low))).sum();
    let mut pool = Pool::new(config(frames, Duration::ZERO), pages);
    let (warm, uses, mut hits) = (400_000, 600_000, 0);
    for i in 0..warm + uses {
        let page = (Rows::Special.draw(rows, &mut stream) / per_page) as u32;
        hits += u64::from(access(&mut pool, page, Instant::ZERO) && i >= warm);
    }
    let ratio = hits as f64 / f64::from(uses);
    assert!((ratio - expected).abs() < 0.01, "{ratio}, Che says {expected}");
}

/// With an old time, pages that are used once and never again do not push out those in front. The
/// pool is full before, so that the midpoint is where it belongs, and the hot pages fit behind it.
#[test]
fn an_old_time_keeps_a_scan_from_the_front() {
    let survivors = |old_time| {
        let mut pool = Pool::new(config(2000, old_time), 200_000);
        let mut now = Instant::ZERO;
        for page in 1000..3000 {
            access(&mut pool, page, now);
        }
        for round in 0..20 {
            for page in 0..500 {
                now += Duration::from_ms(1);
                let found = access(&mut pool, page, now);
                assert!(found || round == 0);
            }
        }
        for page in 10_000..30_000 {
            now += Duration::from_us(1);
            access(&mut pool, page, now);
        }
        (0..500).filter(|page| pool.find(*page).is_some()).count()
    };
    assert_eq!(survivors(Duration::ZERO), 0);
    assert_eq!(survivors(Duration::from_s(1)), 500);
}

/// Dirty pages stay until they are written, are written once each, and none is lost.
#[test]
fn dirty_pages_are_written_before_they_leave() {
    let (frames, pages) = (1024, 4000);
    let mut pool = Pool::new(config(frames, Duration::ZERO), pages);
    let mut stream = Stream::new(3, "dirty");
    let (mut changed, mut log) = (vec![false; pages as usize], 0);
    for i in 0..200_000u32 {
        let page = stream.below(u64::from(pages)) as u32;
        if pool.find(page).is_none() {
            assert!(!changed[page as usize], "page {page} left with changes");
            let short = pool.shortage(133, 69, 117);
            let mut batch = Vec::new();
            if short > 0 && pool.len() == frames {
                pool.write_from_tail(short, &mut batch);
            }
            for frame in batch {
                changed[pool.page(frame) as usize] = false;
                pool.has_written(frame, log, true);
            }
            let frame = pool.take(page).expect("a clean page near the tail");
            pool.has_read(frame);
        }
        let (frame, _) = pool.find(page).unwrap();
        pool.touch(frame, Instant::ZERO);
        if stream.chance(1, 3) {
            log += 100;
            pool.change(frame, log);
            changed[page as usize] = true;
        }
        if i % 10_000 == 0 {
            pool.audit();
            let dirty = changed.iter().filter(|dirty| **dirty).count();
            assert_eq!(pool.dirty() as usize, dirty);
        }
    }
}
