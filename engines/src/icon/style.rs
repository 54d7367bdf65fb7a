//! Renders a line icon in one of five styles.

use super::IconStyle;
use super::geometry::{Bounds, Shape};
use super::palette::Palette;

/// Returns the SVG of the shapes.
///
/// It contains `title` and `description` for screen readers, and for programs that show the origin.
pub(super) fn restyled(
    shapes: &[Shape],
    style: IconStyle,
    palette: &Palette,
    title: &str,
    description: &str,
) -> String {
    let (margin, elements) = match style {
        IconStyle::Solid => (0.5, solid(shapes, palette)),
        IconStyle::Outline => (0.5, outline(shapes, palette)),
        IconStyle::Color => (1.0, color(shapes, palette)),
        IconStyle::Flat => (4.6, flat(shapes, palette)),
        IconStyle::Sticker => (3.6, sticker(shapes, palette)),
    };
    let side = 24.0 + 2.0 * margin;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"512\" height=\"512\" viewBox=\"{from} {from} {side} {side}\">\
         <title>{}</title><desc>{}</desc>{elements}</svg>\n",
        escaped(title),
        escaped(description),
        from = -margin,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns a group that scales the icon to the common size and centres it.
fn fitted(shapes: &[Shape], elements: &str) -> String {
    let bounds = Bounds::of(shapes);
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
    let scale = (20.0 / width.max(height).max(1.0)).clamp(0.9, 1.25);
    let x = 12.0 - scale * (bounds.left + bounds.right) / 2.0;
    let y = 12.0 - scale * (bounds.top + bounds.bottom) / 2.0;
    format!(
        "<g transform=\"matrix({scale:.3} 0 0 {scale:.3} {x:.3} {y:.3})\" stroke-linecap=\"round\" \
         stroke-linejoin=\"round\">{elements}</g>"
    )
}

fn path(shape: &Shape, fill: &str, stroke: &str, width: f64) -> String {
    let stroke = match width {
        width if width > 0.0 => format!(" stroke=\"{stroke}\" stroke-width=\"{width}\""),
        _ => String::new(),
    };
    format!("<path d=\"{}\" fill=\"{fill}\"{stroke}/>", shape.data)
}

fn line(shape: &Shape, stroke: &str, width: f64) -> String {
    path(shape, "none", stroke, width)
}

fn outline(shapes: &[Shape], palette: &Palette) -> String {
    let lines: String = shapes.iter().map(|shape| line(shape, &palette.ink, 1.75)).collect();
    fitted(shapes, &lines)
}

/// Renders the icon in one colour.
///
/// Bodies are filled, shapes in them are cut out, and shapes in a hole are filled again.
fn solid(shapes: &[Shape], palette: &Palette) -> String {
    let (shown, hidden) = ("#fff", "#000");
    let mut mask = String::new();
    for shape in shapes {
        let (color, other) = if shape.depth.is_multiple_of(2) { (shown, hidden) } else { (hidden, shown) };
        mask.push_str(&match (shape.encloses, shape.depth) {
            (true, 0) if shape.crosses => path(shape, hidden, hidden, 4.2) + &path(shape, color, color, 1.75),
            (true, 0) => path(shape, color, color, 2.0),
            (true, _) => path(shape, color, color, 0.9),
            (false, _) if shape.crosses => line(shape, other, 4.6) + &line(shape, color, 2.0),
            (false, _) => line(shape, color, 2.0),
        });
    }
    let mask = fitted(shapes, &mask);
    format!(
        "<mask id=\"cut\" maskUnits=\"userSpaceOnUse\" x=\"-2\" y=\"-2\" width=\"28\" height=\"28\">{mask}</mask>\
         <rect x=\"-2\" y=\"-2\" width=\"28\" height=\"28\" fill=\"{}\" mask=\"url(#cut)\"/>",
        palette.ink
    )
}

/// Returns the colour of a filled shape.
///
/// Bodies use the colours in turn, and shapes in them use lighter ones.
fn fill_colour<'a>(shape: &Shape, body: usize, palette: &'a Palette) -> &'a str {
    match (shape.depth, body) {
        (0, 0) => &palette.main,
        (0, body) if body % 2 == 1 => &palette.accent,
        (0, _) => &palette.light,
        (depth, _) if depth % 2 == 1 => &palette.pale,
        _ => &palette.accent,
    }
}

/// Renders fills with contours.
///
/// A separate line becomes a coloured bar with a contour.
fn painted(shapes: &[Shape], palette: &Palette, contour: f64) -> String {
    let mut bodies = 0;
    let has_bodies = shapes.iter().any(|shape| shape.encloses);
    let bar = if has_bodies { &palette.accent } else { &palette.main };
    // Bars come first, so that bodies cover them.
    let bars = || shapes.iter().filter(|shape| !shape.encloses && shape.depth == 0 && !shape.crosses);
    let contours = bars().map(|shape| line(shape, &palette.dark, 2.0 + contour));
    let mut elements: String =
        contours.chain(bars().map(|shape| line(shape, bar, 2.0 - contour * 0.35))).collect();
    for shape in shapes {
        match (shape.encloses, shape.depth) {
            (true, _) => {
                elements.push_str(&path(shape, fill_colour(shape, bodies, palette), &palette.dark, contour));
                bodies += usize::from(shape.depth == 0);
            }
            (false, 0) if !shape.crosses => {}
            (false, _) => elements.push_str(&line(shape, &palette.dark, contour)),
        }
    }
    elements
}

fn color(shapes: &[Shape], palette: &Palette) -> String {
    fitted(shapes, &painted(shapes, palette, 1.35))
}

/// Renders areas without contours on a round background, half in shade.
fn flat(shapes: &[Shape], palette: &Palette) -> String {
    let has_bodies = shapes.iter().any(|shape| shape.encloses && shape.area > 20.0);
    let mut bodies = 0;
    let mut elements = String::new();
    let mut clip = String::new();
    for shape in shapes {
        match (shape.encloses, shape.depth) {
            (true, depth) => {
                let color = fill_colour(shape, bodies, palette);
                if shape.crosses && depth == 0 {
                    elements.push_str(&line(shape, &palette.pale, 2.6));
                }
                elements.push_str(&path(shape, color, color, if depth == 0 { 1.4 } else { 0.4 }));
                if depth == 0 {
                    clip.push_str(&format!("<path d=\"{}\"/>", shape.data));
                    bodies += 1;
                }
            }
            (false, 0) if !has_bodies => elements.push_str(&line(shape, &palette.main, 2.9)),
            (false, 0) if !shape.crosses => elements.insert_str(0, &line(shape, &palette.dark, 2.1)),
            (false, 0) => elements.push_str(&line(shape, &palette.dark, 1.9)),
            (false, _) => elements.push_str(&line(shape, &palette.pale, 1.7)),
        }
    }
    if !clip.is_empty() {
        let bounds = Bounds::of(shapes);
        let middle = (bounds.left + bounds.right) / 2.0;
        elements.push_str(&format!(
            "<clipPath id=\"bodies\">{clip}</clipPath><rect x=\"{middle:.2}\" y=\"-2\" width=\"28\" height=\"28\" \
             fill=\"{}\" fill-opacity=\"0.13\" clip-path=\"url(#bodies)\"/>",
            palette.dark
        ));
    }
    let inner = fitted(shapes, &elements);
    format!("<circle cx=\"12\" cy=\"12\" r=\"16.3\" fill=\"{}\"/>{inner}", palette.pale)
}

/// Renders the painted icon with a white border and a shadow.
fn sticker(shapes: &[Shape], palette: &Palette) -> String {
    let cut = |color: &str, width: f64| -> String {
        let bodies = shapes.iter().filter(|shape| shape.depth == 0 || shape.crosses);
        bodies.map(|shape| path(shape, if shape.encloses { color } else { "none" }, color, width)).collect()
    };
    let shadow = fitted(shapes, &cut(&palette.dark, 6.2));
    let edge = fitted(shapes, &cut("#d9dde3", 6.3));
    let paper = fitted(shapes, &cut("#ffffff", 5.9));
    let picture = fitted(shapes, &painted(shapes, palette, 1.2));
    format!("<g opacity=\"0.22\" transform=\"translate(0.5 0.8)\">{shadow}</g>{edge}{paper}{picture}")
}
