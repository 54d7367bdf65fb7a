//! Analyses which areas an icon's strokes enclose.
//!
//! Restyling needs to know which shapes are bodies, which are holes or details in a body, and which are
//! separate lines.

use resvg::tiny_skia::{Path, PathSegment};
use resvg::usvg::{Group, Node};

use super::set::EmbeddedIcon;
use crate::Failure;
use crate::svg::parse;

type Point = (f64, f64);

/// A stroke of an icon.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The SVG path data.
    pub(super) data: String,
    /// Whether it can be filled.
    ///
    /// It is closed, or its gap is small or closed by another line.
    pub(super) encloses: bool,
    /// The number of bodies that contain it.
    pub(super) depth: usize,
    /// Whether it is partly in a body. It then needs a gap around it to be visible.
    pub(super) crosses: bool,
    pub(super) area: f64,
    points: Vec<Point>,
}

/// A bounding box of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Bounds {
    pub(super) fn of(shapes: &[Shape]) -> Self {
        let none = Self { left: 24.0, top: 24.0, right: 0.0, bottom: 0.0 };
        shapes.iter().flat_map(|shape| &shape.points).fold(none, |bounds, point| Self {
            left: bounds.left.min(point.0),
            top: bounds.top.min(point.1),
            right: bounds.right.max(point.0),
            bottom: bounds.bottom.max(point.1),
        })
    }
}

/// Returns the icon's shapes in painting order.
///
/// Bodies come first, then the shapes in them. Larger ones come before smaller ones.
pub(super) fn shapes(icon: &EmbeddedIcon) -> Result<Vec<Shape>, Failure> {
    let tree = parse(&icon.svg())?;
    let mut lines = Vec::new();
    collect(tree.root(), &mut lines);
    let lines = joined(lines);
    let points: Vec<Vec<Point>> = lines.iter().map(Line::points).collect();
    let mut shapes: Vec<Shape> = lines
        .iter()
        .zip(&points)
        .enumerate()
        .map(|(index, (line, own))| Shape {
            data: line.data(),
            encloses: encloses(index, &lines, &points),
            depth: 0,
            crosses: false,
            area: area(own),
            points: own.clone(),
        })
        .collect();
    let bodies = shapes.clone();
    for (index, shape) in shapes.iter_mut().enumerate() {
        for (other, body) in bodies.iter().enumerate().filter(|(_, body)| body.encloses) {
            if other == index || (shape.encloses && body.area <= shape.area * 1.02) {
                continue;
            }
            let within = share_within(&shape.points, &body.points);
            if within > 0.7 {
                shape.depth += 1;
            } else if within > 0.12 {
                shape.crosses = true;
            }
        }
    }
    shapes.sort_by(|left, right| left.depth.cmp(&right.depth).then(right.area.total_cmp(&left.area)));
    Ok(shapes)
}

/// A subpath: its start and its segments.
#[derive(Debug, Clone)]
struct Line {
    start: Point,
    segments: Vec<Segment>,
    closed: bool,
}

/// The control points and the end of a segment. Straight ones have no controls.
#[derive(Debug, Clone, Copy)]
struct Segment {
    controls: Option<(Point, Point)>,
    end: Point,
}

fn collect(group: &Group, lines: &mut Vec<Line>) {
    for node in group.children() {
        match node {
            // The parser has already flattened the groups, so the recursion is shallow.
            Node::Group(group) => collect(group, lines),
            Node::Path(path) => split(path.data(), lines),
            Node::Image(_) | Node::Text(_) => {}
        }
    }
}

fn split(path: &Path, lines: &mut Vec<Line>) {
    let point = |p: resvg::tiny_skia::Point| (f64::from(p.x), f64::from(p.y));
    for segment in path.segments() {
        if let PathSegment::MoveTo(start) = segment {
            lines.push(Line { start: point(start), segments: Vec::new(), closed: false });
            continue;
        }
        let Some(line) = lines.last_mut() else { continue };
        let from = line.end();
        match segment {
            PathSegment::LineTo(end) => line.segments.push(Segment { controls: None, end: point(end) }),
            PathSegment::QuadTo(control, end) => {
                let (control, end) = (point(control), point(end));
                let toward = |p: Point| mixed(p, control, 2.0 / 3.0);
                line.segments.push(Segment { controls: Some((toward(from), toward(end))), end });
            }
            PathSegment::CubicTo(first, second, end) => {
                line.segments
                    .push(Segment { controls: Some((point(first), point(second))), end: point(end) });
            }
            PathSegment::Close => line.closed = true,
            PathSegment::MoveTo(_) => {}
        }
    }
}

impl Line {
    fn end(&self) -> Point {
        self.segments.last().map_or(self.start, |segment| segment.end)
    }

    fn is_closed(&self) -> bool {
        self.closed || (self.segments.len() > 1 && distance(self.start, self.end()) < 0.15)
    }

    fn reversed(&self) -> Self {
        let mut ends: Vec<Point> =
            [self.start].into_iter().chain(self.segments.iter().map(|part| part.end)).collect();
        let start = ends.pop().unwrap_or(self.start);
        let controls =
            self.segments.iter().rev().map(|part| part.controls.map(|(first, second)| (second, first)));
        let segments =
            controls.zip(ends.into_iter().rev()).map(|(controls, end)| Segment { controls, end }).collect();
        Self { start, segments, closed: self.closed }
    }

    fn points(&self) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut from = self.start;
        for segment in &self.segments {
            for step in 1..=8 {
                let t = f64::from(step) / 8.0;
                points.push(match segment.controls {
                    None => mixed(from, segment.end, t),
                    Some((first, second)) => {
                        let (a, b, c) =
                            (mixed(from, first, t), mixed(first, second, t), mixed(second, segment.end, t));
                        mixed(mixed(a, b, t), mixed(b, c, t), t)
                    }
                });
            }
            from = segment.end;
        }
        points
    }

    fn data(&self) -> String {
        let mut data = format!("M{}", written(self.start));
        for segment in &self.segments {
            match segment.controls {
                None => data.push_str(&format!("L{}", written(segment.end))),
                Some((first, second)) => {
                    data.push_str(&format!(
                        "C{} {} {}",
                        written(first),
                        written(second),
                        written(segment.end)
                    ));
                }
            }
        }
        if self.is_closed() {
            data.push('Z');
        }
        data
    }
}

fn written(point: Point) -> String {
    let number = |value: f64| format!("{:.2}", value).trim_end_matches('0').trim_end_matches('.').to_owned();
    format!("{} {}", number(point.0), number(point.1))
}

/// Joins open lines that together form a closed figure.
fn joined(lines: Vec<Line>) -> Vec<Line> {
    let (mut done, mut open): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(Line::is_closed);
    while let Some(first) = open.pop() {
        let mut chain = first.clone();
        let mut rest = open.clone();
        while !chain.is_closed() {
            let end = chain.end();
            let next = rest
                .iter()
                .position(|line| distance(line.start, end) < 0.15 || distance(line.end(), end) < 0.15);
            let Some(next) = next else { break };
            let next = rest.swap_remove(next);
            let next = if distance(next.start, end) < 0.15 { next } else { next.reversed() };
            chain.segments.extend(next.segments);
        }
        if chain.is_closed() && rest.len() < open.len() {
            open = rest;
            done.push(chain);
        } else {
            done.push(first);
        }
    }
    done
}

fn encloses(index: usize, lines: &[Line], points: &[Vec<Point>]) -> bool {
    let (Some(line), Some(own)) = (lines.get(index), points.get(index)) else { return false };
    if area(own) < 0.6 {
        return false;
    }
    if line.is_closed() {
        return true;
    }
    let length: f64 = own.windows(2).map(span).sum();
    let (start, end) = (line.start, line.end());
    let gap = distance(start, end);
    if area(own) < 6.0 || gap > 0.5 * length {
        return false;
    }
    if gap < 0.2 * length {
        return true;
    }
    // An open line may close it, as the lid closes a can. The body that contains it may close it too, as the
    // wall closes a door. A small line next to a body is a handle and stays open.
    let middle = own.get(own.len() / 2).copied().unwrap_or(start);
    let closing: Vec<&Vec<Point>> = lines
        .iter()
        .zip(points)
        .enumerate()
        .filter(|(other, (line, points))| {
            *other != index
                && (!line.is_closed() || is_within(middle, points) || area(own) > 0.4 * area(points))
        })
        .map(|(_, (_, points))| points)
        .collect();
    [0.25, 0.5, 0.75].into_iter().all(|part| {
        let place = mixed(start, end, part);
        closing.iter().any(|points| points.windows(2).any(|pair| to_segment(place, pair) < 0.6))
    })
}

fn span(pair: &[Point]) -> f64 {
    match pair {
        [from, to] => distance(*from, *to),
        _ => 0.0,
    }
}

fn to_segment(place: Point, pair: &[Point]) -> f64 {
    let [from, to] = pair else { return f64::MAX };
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { ((place.0 - from.0) * dx + (place.1 - from.1) * dy) / length } else { 0.0 };
    distance(place, mixed(*from, *to, t.clamp(0.0, 1.0)))
}

fn area(points: &[Point]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(from, to)| from.0 * to.1 - to.0 * from.1).sum::<f64>().abs() / 2.0
}

fn share_within(points: &[Point], body: &[Point]) -> f64 {
    points.iter().filter(|point| is_within(**point, body)).count() as f64 / points.len().max(1) as f64
}

fn is_within(point: Point, body: &[Point]) -> bool {
    let next = body.iter().cycle().skip(1);
    let crossings = body.iter().zip(next).filter(|(from, to)| {
        (from.1 > point.1) != (to.1 > point.1)
            && point.0 < (to.0 - from.0) * (point.1 - from.1) / (to.1 - from.1) + from.0
    });
    crossings.count() % 2 == 1
}

fn distance(from: Point, to: Point) -> f64 {
    (from.0 - to.0).hypot(from.1 - to.1)
}

fn mixed(from: Point, to: Point, part: f64) -> Point {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes_of(body: &str) -> Vec<Shape> {
        shapes(&EmbeddedIcon { name: "test".into(), tags: vec![], body: body.into() }).unwrap()
    }

    #[test]
    fn a_hole_lies_in_its_body() {
        let shapes =
            shapes_of(r#"<circle cx="12" cy="12" r="3"/><rect x="3" y="3" width="18" height="18"/>"#);
        assert_eq!(
            shapes.iter().map(|shape| (shape.encloses, shape.depth)).collect::<Vec<_>>(),
            [(true, 0), (true, 1)]
        );
        assert!((shapes[0].area - 324.0).abs() < 1.0);
    }

    #[test]
    fn a_lid_closes_a_can() {
        let can = r#"<path d="M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6"/>"#;
        assert!(!shapes_of(can)[0].encloses);
        let shapes = shapes_of(&format!(r#"{can}<path d="M3 6h18"/>"#));
        assert!(shapes.iter().any(|shape| shape.encloses && shape.area > 150.0));
    }

    #[test]
    fn one_looks_through_a_handle() {
        let cup =
            r#"<path d="M3 8h14v9a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4Z"/><path d="M17 8h1a4 4 0 1 1 0 8h-1"/>"#;
        let shapes = shapes_of(cup);
        assert_eq!(shapes.iter().filter(|shape| shape.encloses).count(), 1);
    }

    #[test]
    fn lines_that_meet_are_one_figure() {
        let shapes = shapes_of(r#"<path d="M4 4h16v8"/><path d="M4 4v16h16v-8"/>"#);
        assert_eq!(shapes.len(), 1);
        assert!(shapes[0].encloses);
    }

    #[test]
    fn an_arrow_encloses_nothing() {
        assert!(
            shapes_of(r#"<path d="M5 12h14"/><path d="m12 5 7 7-7 7"/>"#).iter().all(|shape| !shape.encloses)
        );
    }
}
