//! Verdicts: the effect of a change on each audience.

/// The effect of a change on an audience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
    /// Nothing breaks.
    #[default]
    Fine,
    /// Some programs fail, or behave in another way.
    Risky,
    /// Programs that worked fail.
    Breaking,
}

impl Verdict {
    /// Returns the name: `breaking`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Risky => "risky",
            Self::Breaking => "breaking",
        }
    }
}

/// A group of programs that a change can affect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Clients in use, which call the new server as the old document says.
    Clients,
    /// Servers in use, which new clients call.
    Servers,
    /// Rust programs that use the generated client and its models.
    ClientUsers,
    /// Rust programs that implement the generated server traits.
    Implementors,
}

impl Audience {
    /// All audiences, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Clients, Self::Servers, Self::ClientUsers, Self::Implementors];

    /// Returns the name in JSON and in arguments: `client-users`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Servers => "servers",
            Self::ClientUsers => "client-users",
            Self::Implementors => "implementors",
        }
    }
}

/// The verdict for each audience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Verdicts {
    /// Clients in use that call a server of the new document.
    pub clients: Verdict,
    /// Servers in use that are called by clients of the new document.
    pub servers: Verdict,
    /// Rust programs that use the generated client and its models.
    pub client_users: Verdict,
    /// Rust programs that implement the generated server traits.
    pub implementors: Verdict,
}

impl Verdicts {
    /// Returns the verdict for one audience.
    #[must_use]
    pub const fn of(self, audience: Audience) -> Verdict {
        match audience {
            Audience::Clients => self.clients,
            Audience::Servers => self.servers,
            Audience::ClientUsers => self.client_users,
            Audience::Implementors => self.implementors,
        }
    }

    /// Returns the verdicts for these audiences. For others, everything is fine.
    #[must_use]
    pub fn only(self, audiences: &[Audience]) -> Self {
        let of = |audience: Audience| {
            if audiences.contains(&audience) { self.of(audience) } else { Verdict::Fine }
        };
        Self {
            clients: of(Audience::Clients),
            servers: of(Audience::Servers),
            client_users: of(Audience::ClientUsers),
            implementors: of(Audience::Implementors),
        }
    }

    /// Returns the most severe verdict.
    #[must_use]
    pub fn worst(self) -> Verdict {
        Audience::ALL.map(|audience| self.of(audience)).into_iter().max().unwrap_or_default()
    }

    /// Returns the audiences with this verdict.
    pub fn with(self, verdict: Verdict) -> impl Iterator<Item = Audience> {
        Audience::ALL.into_iter().filter(move |audience| self.of(*audience) == verdict)
    }
}
