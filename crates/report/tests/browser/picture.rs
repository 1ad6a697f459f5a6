//! Pictures of pages, compared so that the smoothing of letters does not matter and a line that is
//! missing does.

use std::path::Path;

/// Edge of the squares whose mean colours are compared, pixels.
const SQUARE: usize = 8;
/// How far the mean of a square may be from that of the reference, of 255.
const NEAR: f64 = 20.0;
/// Share of squares that may differ by more: letters of another version of a font.
const MAY_DIFFER: f64 = 0.03;

struct Picture {
    width: usize,
    height: usize,
    /// Brightness of each pixel in red, green and blue.
    pixels: Vec<[u8; 3]>,
}

fn decode(bytes: &[u8]) -> Picture {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let channels = info.color_type.samples();
    let pixels = buffer[..info.buffer_size()].chunks(channels);
    Picture {
        width: info.width as usize,
        height: info.height as usize,
        pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
    }
}

impl Picture {
    /// Mean colours of the squares, row by row.
    fn squares(&self) -> Vec<[f64; 3]> {
        let mut means = Vec::new();
        for top in (0..self.height).step_by(SQUARE) {
            for left in (0..self.width).step_by(SQUARE) {
                let rows = top..(top + SQUARE).min(self.height);
                let mut sum = [0.0; 3];
                let mut count = 0.0;
                for row in rows {
                    for column in left..(left + SQUARE).min(self.width) {
                        let pixel = self.pixels[row * self.width + column];
                        (0..3).for_each(|i| sum[i] += f64::from(pixel[i]));
                        count += 1.0;
                    }
                }
                means.push(sum.map(|sum| sum / count));
            }
        }
        means
    }
}

/// Share of the squares that differ; all of them if the pictures have different sizes.
pub fn difference(a: &[u8], b: &[u8]) -> f64 {
    let (a, b) = (decode(a), decode(b));
    if (a.width, a.height) != (b.width, b.height) {
        return 1.0;
    }
    let (a, b) = (a.squares(), b.squares());
    let far = |(a, b): &(&[f64; 3], &[f64; 3])| (0..3).any(|i| (a[i] - b[i]).abs() > NEAR);
    a.iter().zip(&b).filter(far).count() as f64 / a.len() as f64
}

/// Compares with the reference of this name; `REPORT_PICTURES=overwrite` makes it anew. What
/// differs is written beside the test's other output, to be looked at.
pub fn is_as_before(name: &str, bytes: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    let path = path.join(format!("{name}.png"));
    if std::env::var_os("REPORT_PICTURES").is_some_and(|value| value == "overwrite") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        return;
    }
    let reference = std::fs::read(&path).unwrap();
    let share = difference(&reference, bytes);
    if share > MAY_DIFFER {
        let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        std::fs::write(&seen, bytes).unwrap();
        panic!(
            "{:.1} % of {} differ from the reference; this was seen: {}; if it is right, \
             REPORT_PICTURES=overwrite makes it the reference",
            share * 100.0,
            path.display(),
            seen.display()
        );
    }
}
