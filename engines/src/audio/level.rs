//! Levels: removal of the mean, peak normalisation, RMS and fades.

/// Subtracts the mean, so that the sound has no DC offset.
pub(crate) fn remove_mean(samples: &mut [f32]) {
    if samples.is_empty() {
        return;
    }
    let mean = samples.iter().map(|sample| f64::from(*sample)).sum::<f64>() / samples.len() as f64;
    for sample in samples {
        *sample -= mean as f32;
    }
}

/// Scales the samples so that the highest peak is `peak`. Silence stays silence.
pub(crate) fn normalise(samples: &mut [f32], peak: f64) {
    let highest = samples.iter().fold(0.0f32, |highest, sample| highest.max(sample.abs()));
    if highest > 1e-9 {
        let gain = peak / f64::from(highest);
        for sample in samples {
            *sample = (f64::from(*sample) * gain) as f32;
        }
    }
}

/// Returns the root mean square.
pub(crate) fn rms(samples: &[f32]) -> f64 {
    let sum = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>();
    (sum / samples.len().max(1) as f64).sqrt()
}

/// Fades the first `length` samples in from silence.
pub(crate) fn fade_in(samples: &mut [f32], length: usize) {
    let length = length.min(samples.len());
    for (index, sample) in samples.iter_mut().take(length).enumerate() {
        *sample *= index as f32 / length as f32;
    }
}

/// Fades the last `length` samples out to silence.
pub(crate) fn fade_out(samples: &mut [f32], length: usize) {
    let length = length.min(samples.len());
    for (index, sample) in samples.iter_mut().rev().take(length).enumerate() {
        *sample *= index as f32 / length as f32;
    }
}
