//! Italian phrases.

use super::{Language, Slot};

pub(in crate::prompt) const IT: Language = Language {
    code: "it",
    subjects: &[
        "Un vecchio guardiano del faro con una lanterna",
        "Una volpe rossa con la neve sul pelo",
        "Una serra di vetro piena di felci giganti",
        "Un piccolo robot che annaffia un solo fiore",
        "Una violinista a occhi chiusi",
        "Una barca di carta con una candela a bordo",
        "Una balena fatta di nuvole",
        "Una giostra abbandonata coperta d'edera",
    ],
    places: &[
        "su una scogliera sopra un mare in tempesta",
        "in un silenzioso bosco di betulle",
        "nel mezzo di una città vecchia allagata",
        "sotto un cielo con due lune",
        "ai margini di un deserto di sale infinito",
        "in un vicolo stretto dopo la pioggia",
        "sul tetto di una città addormentata",
        "accanto a un lago ghiacciato",
    ],
    light: Slot {
        words: "luce luci luminos* sole soleggiat* alba tramonto notte notturn* dorat* neon ombra ombre controluce buio scur* brillante",
        phrases: &[
            "luce calda dell'ora d'oro con ombre lunghe e morbide",
            "luce morbida e diffusa di un cielo coperto",
            "luce laterale drammatica su sfondo scuro",
            "controluce delicato con un bordo luminoso",
            "luce azzurra e fredda prima dell'alba",
            "raggi di luce visibili nella nebbia",
        ],
    },
    lens: Slot {
        words: "obiettivo lente mm macro grandangolo teleobiettivo bokeh apertura profondità fuoco sfocat*",
        phrases: &[
            "obiettivo da 85 mm con poca profondità di campo",
            "obiettivo da 35 mm, nitido fino all'orizzonte",
            "obiettivo da 50 mm con un bokeh cremoso",
            "grandangolo da 24 mm che esalta lo spazio",
            "obiettivo macro con fini dettagli di superficie",
            "teleobiettivo da 135 mm che comprime la distanza",
        ],
    },
    composition: Slot {
        words: "composizione primo piano ritratto inquadratura inquadrato centrato simmetr* terzi aerea vista panoram* minimal*",
        phrases: &[
            "composizione secondo la regola dei terzi con spazio vuoto",
            "composizione simmetrica con il soggetto al centro",
            "punto di vista basso con un primo piano marcato",
            "linee che guidano lo sguardo al soggetto",
            "incorniciato da elementi in primo piano",
            "inquadratura stretta ad altezza degli occhi",
        ],
    },
    mood: Slot {
        words: "atmosfera calm* tranquill* seren* drammatic* misterios* allegr* malinconic* epic* accogliente romantic* triste felice",
        phrases: &[
            "un'atmosfera calma e contemplativa",
            "un'atmosfera misteriosa e onirica",
            "un'atmosfera allegra e vivace",
            "un tono malinconico e silenzioso",
            "un senso epico di meraviglia",
            "un'atmosfera intima e accogliente",
        ],
    },
    finish: Slot {
        words: "stile foto* dipinto pittura acquerello olio illustrazione render 3d schizzo disegno anime film cinematografic* realistic* pixel",
        phrases: &[
            "colori naturali, texture fine e dettaglio fotografico",
            "colori tenui da pellicola con una grana sottile",
            "contrasto ricco e colori profondi e armoniosi",
            "una tavolozza limitata a due colori complementari",
            "grande dettaglio con materiali fedeli alla realtà",
            "morbidi toni pastello dalla texture delicata",
        ],
    },
    camera: Slot {
        words: "camera telecamera carrellata panoramica zoom gru orbita drone fissa",
        phrases: &[
            "la camera si avvicina lentamente al soggetto",
            "una carrellata fluida accanto al soggetto",
            "un'orbita lenta attorno al soggetto",
            "la camera si alza e svela i dintorni",
            "camera a mano stabile che respira con la scena",
            "una panoramica lenta da sinistra a destra",
        ],
    },
    movement: Slot {
        words: "movimento muove* lentamente veloce corre* cammina* vola* danza* scorre* cade* gira*",
        phrases: &[
            "capelli, stoffe e foglie si muovono a una brezza leggera",
            "movimento lento e pesante, di inerzia naturale",
            "piccoli gesti che portano a un'azione chiara",
            "particelle fluttuano nell'aria e lo sfondo resta calmo",
            "un rallentatore che prolunga un solo istante",
            "un'azione continua senza stacchi, a ritmo costante",
        ],
    },
};
