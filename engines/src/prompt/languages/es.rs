//! Spanish phrases.

use super::{Language, Slot};

pub(in crate::prompt) const ES: Language = Language {
    code: "es",
    subjects: &[
        "Un viejo farero con una linterna",
        "Un zorro rojo con nieve en el pelaje",
        "Un invernadero de cristal lleno de helechos gigantes",
        "Un pequeño robot que riega una sola flor",
        "Una violinista con los ojos cerrados",
        "Un barco de papel con una vela a bordo",
        "Una ballena hecha de nubes",
        "Un carrusel abandonado cubierto de hiedra",
    ],
    places: &[
        "en un acantilado sobre un mar tormentoso",
        "en un tranquilo bosque de abedules",
        "en medio de una ciudad antigua inundada",
        "bajo un cielo con dos lunas",
        "al borde de un salar infinito",
        "en un callejón estrecho después de la lluvia",
        "en la azotea de una ciudad dormida",
        "junto a un lago helado",
    ],
    light: Slot {
        words: "luz luces luminos* sol soleado amanecer atardecer noche nocturn* dorad* neón sombra* contraluz oscur* brillante",
        phrases: &[
            "luz cálida de la hora dorada con sombras largas y suaves",
            "luz suave y difusa de un cielo nublado",
            "luz lateral dramática sobre un fondo oscuro",
            "contraluz delicado con un borde luminoso",
            "luz azul y fría antes del amanecer",
            "rayos de luz visibles entre la niebla",
        ],
    },
    lens: Slot {
        words: "objetivo lente mm macro angular teleobjetivo bokeh apertura profundidad enfoque desenfoque",
        phrases: &[
            "objetivo de 85 mm con poca profundidad de campo",
            "objetivo de 35 mm, nítido hasta el horizonte",
            "objetivo de 50 mm con un bokeh cremoso",
            "gran angular de 24 mm que acentúa el espacio",
            "objetivo macro con finos detalles de superficie",
            "teleobjetivo de 135 mm que comprime la distancia",
        ],
    },
    composition: Slot {
        words: "composición primer plano retrato encuadre encuadrado centrado simetr* tercios cenital aérea vista panorám* minimal*",
        phrases: &[
            "composición según la regla de los tercios con espacio vacío",
            "composición simétrica con el sujeto en el centro",
            "punto de vista bajo con un primer término marcado",
            "líneas que conducen la mirada hacia el sujeto",
            "enmarcado por elementos en primer término",
            "encuadre cerrado a la altura de los ojos",
        ],
    },
    mood: Slot {
        words: "ambiente atmósfera tranquil* sereno dramátic* misterios* alegre melancólic* épic* acogedor* romántic* triste feliz",
        phrases: &[
            "un ambiente tranquilo y contemplativo",
            "una atmósfera misteriosa y onírica",
            "un ambiente alegre y vivo",
            "un tono melancólico y callado",
            "una sensación épica de asombro",
            "una atmósfera íntima y acogedora",
        ],
    },
    finish: Slot {
        words: "estilo foto* pintura acuarela óleo ilustración render 3d boceto dibujo anime cine cinematográfic* realista píxel",
        phrases: &[
            "colores naturales, textura fina y detalle fotográfico",
            "colores apagados de película con un grano sutil",
            "contraste rico y colores profundos y armoniosos",
            "una paleta limitada a dos colores complementarios",
            "gran detalle con materiales fieles a la realidad",
            "tonos pastel suaves con textura delicada",
        ],
    },
    camera: Slot {
        words: "cámara travelling paneo zoom seguimiento grúa órbita dron estática",
        phrases: &[
            "la cámara se acerca lentamente al sujeto",
            "un travelling fluido junto al sujeto",
            "una órbita lenta alrededor del sujeto",
            "la cámara se eleva y descubre el entorno",
            "cámara en mano estable que respira con la escena",
            "un paneo lento de izquierda a derecha",
        ],
    },
    movement: Slot {
        words: "movimiento mueve* lentamente rápido corre* camina* vuela* baila* fluye* cae* gira*",
        phrases: &[
            "el pelo, la ropa y las hojas se mueven con una brisa ligera",
            "movimiento lento y con peso, de inercia natural",
            "pequeños gestos que llevan a una acción clara",
            "partículas flotan en el aire y el fondo permanece en calma",
            "cámara lenta que prolonga un solo instante",
            "una acción continua sin cortes, a ritmo constante",
        ],
    },
};
