//! French phrases.

use super::{Language, Slot};

pub(in crate::prompt) const FR: Language = Language {
    code: "fr",
    subjects: &[
        "Un vieux gardien de phare avec une lanterne",
        "Un renard roux au pelage couvert de neige",
        "Une serre de verre pleine de fougères géantes",
        "Un petit robot qui arrose une seule fleur",
        "Une violoniste aux yeux fermés",
        "Un bateau de papier avec une bougie à bord",
        "Une baleine faite de nuages",
        "Un manège abandonné envahi par le lierre",
    ],
    places: &[
        "sur une falaise au-dessus d'une mer agitée",
        "dans une forêt de bouleaux silencieuse",
        "au milieu d'une vieille ville inondée",
        "sous un ciel à deux lunes",
        "au bord d'un désert de sel sans fin",
        "dans une ruelle étroite après la pluie",
        "sur le toit d'une ville endormie",
        "au bord d'un lac gelé",
    ],
    light: Slot {
        words: "lumière* lumineu* soleil ensoleillé* aube crépuscule nuit nocturne doré* néon ombre* sombre contre-jour contrejour bougie brillant*",
        phrases: &[
            "lumière chaude de l'heure dorée aux longues ombres douces",
            "lumière douce et diffuse d'un ciel couvert",
            "lumière latérale dramatique sur fond sombre",
            "contre-jour délicat au contour lumineux",
            "lumière bleue et froide d'avant l'aube",
            "rayons de lumière visibles dans la brume",
        ],
    },
    lens: Slot {
        words: "objectif mm macro angle téléobjectif bokeh ouverture profondeur netteté flou",
        phrases: &[
            "objectif de 85 mm à faible profondeur de champ",
            "objectif de 35 mm, net jusqu'à l'horizon",
            "objectif de 50 mm au bokeh crémeux",
            "grand-angle de 24 mm qui souligne l'espace",
            "objectif macro aux fins détails de surface",
            "téléobjectif de 135 mm qui resserre les distances",
        ],
    },
    composition: Slot {
        words: "composition plan portrait cadrage cadré centré* symétri* tiers aérien* vue panoram* minimal*",
        phrases: &[
            "composition selon la règle des tiers avec de l'espace vide",
            "composition symétrique avec le sujet au centre",
            "point de vue bas avec un premier plan marqué",
            "lignes directrices qui mènent au sujet",
            "encadré par des éléments au premier plan",
            "cadrage serré à hauteur des yeux",
        ],
    },
    mood: Slot {
        words: "ambiance atmosphère calme paisible dramatique mystérieu* joyeu* mélancoli* épique chaleureu* romantique triste serein*",
        phrases: &[
            "une ambiance calme et contemplative",
            "une atmosphère mystérieuse et onirique",
            "une ambiance joyeuse et vivante",
            "un ton mélancolique et discret",
            "un sentiment épique d'émerveillement",
            "une atmosphère intime et chaleureuse",
        ],
    },
    finish: Slot {
        words: "style photo* peinture aquarelle huile illustration rendu 3d croquis dessin anime film cinéma* réaliste pixel",
        phrases: &[
            "couleurs naturelles, texture fine et détail photographique",
            "couleurs de film sourdes avec un grain subtil",
            "contraste riche et couleurs profondes et harmonieuses",
            "une palette limitée à deux couleurs complémentaires",
            "beaucoup de détails et des matières fidèles",
            "tons pastel doux à la texture délicate",
        ],
    },
    camera: Slot {
        words: "caméra travelling panoramique zoom suivi grue orbite drone fixe",
        phrases: &[
            "la caméra s'approche lentement du sujet",
            "un travelling fluide le long du sujet",
            "une lente orbite autour du sujet",
            "la caméra s'élève et dévoile les alentours",
            "une caméra à l'épaule stable qui respire avec la scène",
            "un lent panoramique de gauche à droite",
        ],
    },
    movement: Slot {
        words: "mouvement bouge* lentement rapide* court marche* vole* danse* coule* tombe* tourne*",
        phrases: &[
            "cheveux, tissus et feuilles frémissent dans un vent léger",
            "un mouvement lent et pesant, à l'inertie naturelle",
            "de petits gestes qui mènent à une action claire",
            "des particules flottent dans l'air, l'arrière-plan reste calme",
            "un ralenti qui étire un seul instant",
            "une action continue sans coupe, à un rythme égal",
        ],
    },
};
