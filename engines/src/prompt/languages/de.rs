//! German phrases.

use super::{Language, Slot};

pub(in crate::prompt) const DE: Language = Language {
    code: "de",
    subjects: &[
        "Ein alter Leuchtturmwärter mit einer Laterne",
        "Ein roter Fuchs mit Schnee im Fell",
        "Ein gläsernes Gewächshaus voller riesiger Farne",
        "Ein kleiner Roboter, der eine einzige Blume gießt",
        "Eine Geigerin mit geschlossenen Augen",
        "Ein Papierboot mit einer Kerze an Bord",
        "Ein Wal aus Wolken",
        "Ein verlassenes Karussell voller Efeu",
    ],
    places: &[
        "auf einer Klippe über stürmischer See",
        "in einem stillen Birkenwald",
        "mitten in einer überfluteten Altstadt",
        "unter einem Himmel mit zwei Monden",
        "am Rand einer endlosen Salzebene",
        "in einer engen Gasse nach dem Regen",
        "auf dem Dach einer schlafenden Stadt",
        "an einem gefrorenen See",
    ],
    light: Slot {
        words: "licht* gegenlicht beleucht* sonne* sonnig* dämmerung nacht* golden* neon schatten* mondlicht kerzenlicht hell* dunkel* morgen* abend* leucht*",
        phrases: &[
            "warmes Licht der goldenen Stunde mit langen, weichen Schatten",
            "weiches, gestreutes Licht eines bedeckten Himmels",
            "dramatisches Seitenlicht vor dunklem Hintergrund",
            "zartes Gegenlicht mit leuchtendem Saum",
            "kühles, blaues Licht vor Sonnenaufgang",
            "sichtbare Lichtstrahlen im Nebel",
        ],
    },
    lens: Slot {
        words: "objektiv* brennweite mm makro* weitwinkel* tele* bokeh blende* schärfe* unschärfe tiefenschärfe",
        phrases: &[
            "85-mm-Objektiv mit geringer Schärfentiefe",
            "35-mm-Objektiv, scharf bis zum Horizont",
            "50-mm-Objektiv mit cremigem Bokeh",
            "24-mm-Weitwinkel, das den Raum betont",
            "Makroobjektiv mit feinen Details der Oberfläche",
            "135-mm-Tele, das die Entfernung verdichtet",
        ],
    },
    composition: Slot {
        words: "komposition nahaufnahme porträt* portrait* ausschnitt gerahmt zentriert symmetr* drittel* luftaufnahme ansicht vordergrund panorama* minimal*",
        phrases: &[
            "Bildaufbau nach der Drittelregel mit ruhiger Leere",
            "symmetrischer Bildaufbau mit dem Motiv in der Mitte",
            "tiefer Blickpunkt mit starkem Vordergrund",
            "Linien, die den Blick zum Motiv führen",
            "von Elementen im Vordergrund gerahmt",
            "enger Ausschnitt auf Augenhöhe",
        ],
    },
    mood: Slot {
        words: "stimmung* atmosphäre ruhig* friedlich* dramatisch* geheimnisvoll* fröhlich* melanchol* episch* gemütlich* verträumt* romantisch* traurig*",
        phrases: &[
            "eine ruhige, nachdenkliche Stimmung",
            "eine geheimnisvolle, traumhafte Atmosphäre",
            "eine fröhliche, lebendige Stimmung",
            "ein melancholischer, stiller Ton",
            "ein episches Gefühl des Staunens",
            "eine gemütliche, vertraute Atmosphäre",
        ],
    },
    finish: Slot {
        words: "stil foto* gemälde aquarell* öl* illustration rendering 3d skizze zeichnung comic anime film* realistisch* pixel*",
        phrases: &[
            "natürliche Farben, feine Textur, fotografische Details",
            "gedämpfte Filmfarben mit dezentem Korn",
            "satter Kontrast und tiefe, harmonische Farben",
            "eine Palette aus zwei Komplementärfarben",
            "hoher Detailgrad mit echten Materialien",
            "weiche Pastelltöne mit zarter Textur",
        ],
    },
    camera: Slot {
        words: "kamera* schwenk* zoom* fahrt kamerafahrt kran* handkamera umkreis* drohne* statisch*",
        phrases: &[
            "die Kamera fährt langsam auf das Motiv zu",
            "eine fließende Kamerafahrt neben dem Motiv",
            "eine langsame Umkreisung des Motivs",
            "die Kamera steigt auf und zeigt die Umgebung",
            "eine ruhige Handkamera, die mit der Szene atmet",
            "ein langsamer Schwenk von links nach rechts",
        ],
    },
    movement: Slot {
        words: "bewegung* bewegt* langsam* schnell* läuft rennt geht fliegt tanzt fließt fällt dreht zeitlupe",
        phrases: &[
            "Haare, Stoff und Blätter regen sich in leichtem Wind",
            "langsame, schwere Bewegung mit natürlichem Schwung",
            "kleine Gesten, die auf eine klare Handlung zulaufen",
            "Teilchen schweben in der Luft, der Hintergrund bleibt ruhig",
            "Zeitlupe, die einen einzigen Augenblick dehnt",
            "eine durchgehende Handlung ohne Schnitt, in gleichmäßigem Tempo",
        ],
    },
};
