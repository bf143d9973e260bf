"""Short texts in some languages, and the encodings in which such text is often stored."""

TEXTS = {
    "German": "Die Bäume in der Straße blühen schon, und über den Häusern fliegen Vögel.\n"
    "Größere Flüsse führen im Frühjahr oft Hochwasser. Öl und Äpfel sind günstig.\n",
    "French": "Les élèves sont allés à la plage où ils ont mangé des crêpes, ça leur a plu.\n"
    "Après l'été, la forêt près du château était très agréable.\n",
    "Spanish": "El niño comió la manzana y después durmió la siesta en el jardín.\n"
    "¿Dónde está la estación más cercana?\n",
    "Portuguese": "Não há razão para a preocupação: as crianças já estão na escola e vão à praia amanhã.\n",
    "Icelandic": "Það er gott veður í dag og börnin leika sér úti á túni við ána. Þau eru þreytt.\n",
    "Polish": "Zażółć gęślą jaźń. Wczoraj był piękny dzień, więc poszliśmy na długi spacer.\n"
    "Książka leży na stole obok świeżych kwiatów, które kupiła moja żona.\n",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Včera večer jsme šli na procházku k řece.\n"
    "Děti si hrály s míčem a babička vařila večeři.\n",
    "Hungarian": "Az idő szép, ezért kimegyünk a kertbe és győződjünk meg arról, hogy nő a fű és érik a gyümölcs.\n",
    "Turkish": "Bugün hava çok güzel, çocuklar bahçede oynuyor ve kuşlar ağaçlarda ötüşüyor.\n"
    "Işık şehrin üzerinde yavaşça sönüyordu.\n",
    "Russian": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.\n"
    "Сегодня хорошая погода, и дети играют во дворе.\n",
    "Ukrainian": "Сьогодні гарна погода, і діти граються на вулиці, а їхні батьки сидять у парку.\n",
    "Greek": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και μία από τις παλαιότερες πόλεις του κόσμου.\n",
    "Japanese": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n"
    "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。\n",
    "Chinese": "今天的天气很好，我们一起去公园里散步，看见了很多人在湖边。\n他说这个地方是中国最有名的城市之一。\n",
    "Traditional Chinese": "今天的天氣很好，我們一起去公園裡散步，看見了很多人在湖邊。\n"
    "他說這個地方是最有名的城市之一。\n",
    "Korean": "오늘은 날씨가 좋아서 우리는 공원에 가기로 했다. 아이들이 나무 아래에서 놀고 있었다.\n"
    "그는 이 도시에서 가장 유명한 사람이라고 말했다.\n",
    "English": "It’s “the best of times”, they said – and didn’t mean it…\n",
}
ENCODINGS = {
    "German": ["latin-1", "cp1252", "iso-8859-15"],
    "French": ["latin-1", "cp1252"],
    "Spanish": ["latin-1", "cp1252"],
    "Portuguese": ["latin-1", "cp1252"],
    "Icelandic": ["cp1252"],
    "Polish": ["cp1250", "iso-8859-2"],
    "Czech": ["cp1250", "iso-8859-2"],
    "Hungarian": ["cp1250", "iso-8859-2"],
    "Turkish": ["cp1254", "iso-8859-9"],
    "Russian": ["cp1251", "koi8-r", "cp866"],
    "Ukrainian": ["cp1251"],
    "Greek": ["cp1253", "iso-8859-7"],
    "Japanese": ["shift_jis", "euc-jp", "cp932"],
    "Chinese": ["gb18030", "gbk", "gb2312"],
    "Traditional Chinese": ["big5"],
    "Korean": ["euc-kr"],
    "English": ["cp1252"],
}
STORED = [(language, encoding) for language, encodings in ENCODINGS.items() for encoding in encodings]
