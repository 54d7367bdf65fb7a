//! Analyses which areas an icon's strokes enclose.
//!
//! Restyling needs to know which shapes are bodies, which are holes or details in a body, and which are
//! separate lines.

use kurbo::{BezPath, ParamCurve, ParamCurveNearest, PathEl, Point};
use resvg::tiny_skia::{Path, PathSegment};
use resvg::usvg::{Group, Node};

use super::set::EmbeddedIcon;
use crate::Failure;
use crate::svg::parse;

/// A stroke of an icon.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The SVG path data.
    pub(super) data: String,
    /// Whether it can be filled.
    ///
    /// It is closed, or its gap is small, or another path closes the gap.
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
            left: bounds.left.min(point.x),
            top: bounds.top.min(point.y),
            right: bounds.right.max(point.x),
            bottom: bounds.bottom.max(point.y),
        })
    }
}

/// Returns the icon's shapes in painting order.
///
/// They are ordered by depth; at the same depth, larger ones come first.
pub(super) fn shapes(icon: &EmbeddedIcon) -> Result<Vec<Shape>, Failure> {
    let tree = parse(&icon.svg())?;
    let mut subpaths = Vec::new();
    collect(tree.root(), &mut subpaths);
    let subpaths: Vec<_> = joined(subpaths).into_iter().map(|one| (one.points(), one)).collect();
    let shape = |(index, (points, subpath)): (usize, &(Vec<Point>, Subpath))| Shape {
        data: subpath.data(),
        encloses: encloses(index, &subpaths),
        depth: 0,
        crosses: false,
        area: area(points),
        points: points.clone(),
    };
    let mut shapes: Vec<Shape> = subpaths.iter().enumerate().map(shape).collect();
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

/// A part of a path that starts with a move.
#[derive(Debug, Clone)]
struct Subpath {
    path: BezPath,
    start: Point,
    closed: bool,
}

fn collect(group: &Group, subpaths: &mut Vec<Subpath>) {
    for node in group.children() {
        match node {
            // The parser has already flattened the groups, so the recursion is shallow.
            Node::Group(group) => collect(group, subpaths),
            Node::Path(path) => split(path.data(), subpaths),
            Node::Image(_) | Node::Text(_) => {}
        }
    }
}

fn split(path: &Path, subpaths: &mut Vec<Subpath>) {
    // Two decimals are exact enough for an icon, and short in a file.
    let rounded = |value: f32| (f64::from(value) * 100.0).round() / 100.0;
    let point = |p: resvg::tiny_skia::Point| Point::new(rounded(p.x), rounded(p.y));
    for segment in path.segments() {
        match (segment, subpaths.last_mut()) {
            (PathSegment::MoveTo(start), _) => {
                let start = point(start);
                let path = BezPath::from_iter([PathEl::MoveTo(start)]);
                subpaths.push(Subpath { path, start, closed: false });
            }
            (PathSegment::LineTo(end), Some(part)) => part.path.line_to(point(end)),
            (PathSegment::QuadTo(control, end), Some(part)) => part.path.quad_to(point(control), point(end)),
            (PathSegment::CubicTo(first, second, end), Some(part)) => {
                part.path.curve_to(point(first), point(second), point(end));
            }
            (PathSegment::Close, Some(part)) => part.closed = true,
            (_, None) => {}
        }
    }
}

impl Subpath {
    fn end(&self) -> Point {
        self.path.current_position().unwrap_or(self.start)
    }

    fn is_closed(&self) -> bool {
        self.closed || (self.path.elements().len() > 2 && self.start.distance(self.end()) < 0.15)
    }

    fn reversed(&self) -> Self {
        Self { path: self.path.reverse_subpaths(), start: self.end(), closed: self.closed }
    }

    fn points(&self) -> Vec<Point> {
        let steps = self
            .path
            .segments()
            .flat_map(|segment| (1..=8).map(move |step| segment.eval(f64::from(step) / 8.0)));
        std::iter::once(self.start).chain(steps).collect()
    }

    fn data(&self) -> String {
        self.path.to_svg() + if self.is_closed() { "Z" } else { "" }
    }
}

/// Joins open subpaths that together form a closed one.
fn joined(subpaths: Vec<Subpath>) -> Vec<Subpath> {
    let (mut done, mut open): (Vec<Subpath>, Vec<Subpath>) =
        subpaths.into_iter().partition(Subpath::is_closed);
    while let Some(first) = open.pop() {
        let mut chain = first.clone();
        let mut rest = open.clone();
        while !chain.is_closed() {
            let end = chain.end();
            let next = rest
                .iter()
                .position(|other| other.start.distance(end) < 0.15 || other.end().distance(end) < 0.15);
            let Some(next) = next else { break };
            let next = rest.swap_remove(next);
            let next = if next.start.distance(end) < 0.15 { next } else { next.reversed() };
            chain.path.extend(next.path.elements().iter().skip(1).copied());
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

fn encloses(index: usize, subpaths: &[(Vec<Point>, Subpath)]) -> bool {
    let Some((own, subpath)) = subpaths.get(index) else { return false };
    if area(own) < 0.6 {
        return false;
    }
    if subpath.is_closed() {
        return true;
    }
    let length: f64 = segments(own).map(|line| line.start().distance(line.end())).sum();
    let (start, end) = (subpath.start, subpath.end());
    let gap = start.distance(end);
    if area(own) < 6.0 || gap > 0.5 * length {
        return false;
    }
    if gap < 0.2 * length {
        return true;
    }
    // Another open path may close the gap, such as the lid of a trash can icon. So may a body around it, such as
    // the wall of a door icon. A small path beside a body is a handle and stays open.
    let middle = own.get(own.len() / 2).copied().unwrap_or(start);
    let others = subpaths.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
    let may_close = |(points, subpath): &&(Vec<Point>, Subpath)| {
        !subpath.is_closed() || is_within(middle, points) || area(own) > 0.4 * area(points)
    };
    let closing: Vec<&Vec<Point>> = others.filter(may_close).map(|(points, _)| points).collect();
    [0.25, 0.5, 0.75].into_iter().all(|part| {
        let sample = start.lerp(end, part);
        let is_near = |line: kurbo::Line| line.nearest(sample, 1e-3).distance_sq < 0.6 * 0.6;
        closing.iter().any(|points| segments(points).any(is_near))
    })
}

/// Returns the straight lines between points.
fn segments(points: &[Point]) -> impl Iterator<Item = kurbo::Line> + '_ {
    points.iter().zip(points.iter().skip(1)).map(|(from, to)| kurbo::Line::new(*from, *to))
}

fn area(points: &[Point]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(from, to)| from.to_vec2().cross(to.to_vec2())).sum::<f64>().abs() / 2.0
}

fn share_within(points: &[Point], body: &[Point]) -> f64 {
    points.iter().filter(|point| is_within(**point, body)).count() as f64 / points.len().max(1) as f64
}

fn is_within(point: Point, body: &[Point]) -> bool {
    let next = body.iter().cycle().skip(1);
    let crossings = body.iter().zip(next).filter(|(from, to)| {
        (from.y > point.y) != (to.y > point.y)
            && point.x < (to.x - from.x) * (point.y - from.y) / (to.y - from.y) + from.x
    });
    crossings.count() % 2 == 1
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
    fn a_line_closes_an_open_path() {
        let can = r#"<path d="M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6"/>"#;
        assert!(!shapes_of(can)[0].encloses);
        let shapes = shapes_of(&format!(r#"{can}<path d="M3 6h18"/>"#));
        assert!(shapes.iter().any(|shape| shape.encloses && shape.area > 150.0));
    }

    #[test]
    fn a_handle_stays_transparent() {
        let cup =
            r#"<path d="M3 8h14v9a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4Z"/><path d="M17 8h1a4 4 0 1 1 0 8h-1"/>"#;
        let shapes = shapes_of(cup);
        assert_eq!(shapes.iter().filter(|shape| shape.encloses).count(), 1);
    }

    #[test]
    fn subpaths_that_meet_become_one() {
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
