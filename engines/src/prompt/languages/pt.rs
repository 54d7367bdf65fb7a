//! Portuguese phrases.

use super::{Language, Slot};

pub(in crate::prompt) const PT: Language = Language {
    code: "pt",
    subjects: &[
        "Um velho faroleiro com uma lanterna",
        "Uma raposa vermelha com neve no pelo",
        "Uma estufa de vidro cheia de samambaias gigantes",
        "Um pequeno robô que rega uma única flor",
        "Uma violinista de olhos fechados",
        "Um barco de papel com uma vela a bordo",
        "Uma baleia feita de nuvens",
        "Um carrossel abandonado coberto de hera",
    ],
    places: &[
        "num penhasco sobre um mar agitado",
        "numa floresta silenciosa de bétulas",
        "no meio de uma cidade antiga inundada",
        "sob um céu com duas luas",
        "à beira de um deserto de sal sem fim",
        "num beco estreito depois da chuva",
        "no telhado de uma cidade adormecida",
        "junto a um lago congelado",
    ],
    light: Slot {
        words: "luz luzes luminos* sol ensolarad* amanhecer entardecer noite noturn* dourad* néon neon sombra* contraluz escur* brilhante",
        phrases: &[
            "luz quente da hora dourada com sombras longas e suaves",
            "luz suave e difusa de um céu nublado",
            "luz lateral dramática sobre fundo escuro",
            "contraluz delicada com contorno luminoso",
            "luz azul e fria antes do amanhecer",
            "raios de luz visíveis na névoa",
        ],
    },
    lens: Slot {
        words: "lente objetiva mm macro angular teleobjetiva bokeh abertura profundidade foco desfoque",
        phrases: &[
            "lente de 85 mm com pouca profundidade de campo",
            "lente de 35 mm, nítida até o horizonte",
            "lente de 50 mm com bokeh cremoso",
            "grande angular de 24 mm que realça o espaço",
            "lente macro com detalhes finos de superfície",
            "teleobjetiva de 135 mm que comprime a distância",
        ],
    },
    composition: Slot {
        words: "composição close plano retrato enquadramento enquadrado centralizado simetr* simétr* terços aérea vista panorâm* minimal*",
        phrases: &[
            "composição pela regra dos terços com espaço vazio",
            "composição simétrica com o assunto no centro",
            "ponto de vista baixo com primeiro plano marcante",
            "linhas que conduzem o olhar ao assunto",
            "emoldurado por elementos em primeiro plano",
            "enquadramento fechado à altura dos olhos",
        ],
    },
    mood: Slot {
        words: "clima atmosfera calm* tranquil* sereno dramátic* misterios* alegre melancólic* épic* aconchegante romântic* triste feliz",
        phrases: &[
            "um clima calmo e contemplativo",
            "uma atmosfera misteriosa e onírica",
            "um clima alegre e vivo",
            "um tom melancólico e silencioso",
            "uma sensação épica de encanto",
            "uma atmosfera íntima e aconchegante",
        ],
    },
    finish: Slot {
        words: "estilo foto* pintura aquarela óleo ilustração render 3d esboço desenho anime filme cinematográfic* realista pixel",
        phrases: &[
            "cores naturais, textura fina e detalhe fotográfico",
            "cores suaves de filme com granulação sutil",
            "contraste rico e cores profundas e harmoniosas",
            "uma paleta limitada a duas cores complementares",
            "muitos detalhes com materiais fiéis à realidade",
            "tons pastel suaves com textura delicada",
        ],
    },
    camera: Slot {
        words: "câmera câmara travelling panorâmica zoom acompanhamento grua órbita drone estática",
        phrases: &[
            "a câmera se aproxima lentamente do assunto",
            "um travelling fluido ao lado do assunto",
            "uma órbita lenta em volta do assunto",
            "a câmera sobe e revela os arredores",
            "câmera na mão estável que respira com a cena",
            "uma panorâmica lenta da esquerda para a direita",
        ],
    },
    movement: Slot {
        words: "movimento move* lentamente rápid* corre* anda* voa* dança* flui* cai* gira*",
        phrases: &[
            "cabelos, tecidos e folhas se movem numa brisa leve",
            "movimento lento e com peso, de inércia natural",
            "pequenos gestos que levam a uma ação clara",
            "partículas flutuam no ar e o fundo permanece calmo",
            "câmera lenta que prolonga um só instante",
            "uma ação contínua sem cortes, em ritmo constante",
        ],
    },
};
