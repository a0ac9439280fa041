/// A book that formats of scripture know, with the code of each.
///
/// The order is canonical: what precedes the text, the Old Testament, the deuterocanonical books, the New Testament,
/// and what follows the text.
struct ScriptureBook: Sendable {
    /// The code in USFM and USX, such as `1SA`; empty if they have none.
    let usfm: String
    /// The id in OSIS, such as `1Sam`. Front and back matter, which has none, has an id of ours.
    let osis: String
    /// The English name, for a source that gives none.
    let name: String
    /// The name in the keys of SWORD, such as `I Samuel`; empty if it has none.
    let sword: String

    private init(_ usfm: String, _ osis: String, _ name: String, _ sword: String) {
        (self.usfm, self.osis, self.name, self.sword) = (usfm, osis, name, sword)
    }

    /// The id of the book for text outside of all books.
    static let otherMatter = "Other"

    /// The books by their code in USFM.
    static let byUSFM = Dictionary(uniqueKeysWithValues: all.filter { !$0.usfm.isEmpty }.map { ($0.usfm, $0) })
    /// The books by their id in OSIS.
    static let byOSIS = Dictionary(uniqueKeysWithValues: all.map { ($0.osis, $0) })
    /// The books by their name in SWORD.
    static let bySword = Dictionary(uniqueKeysWithValues: all.filter { !$0.sword.isEmpty }.map { ($0.sword, $0) })
    /// The places in the canonical order, by the id in OSIS.
    static let order = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.osis, $0) })

    /// The books in canonical order.
    static let all: [ScriptureBook] = [
        ScriptureBook("FRT", "Front", "Front Matter", ""),
        ScriptureBook("INT", "Intro", "Introduction", ""),
        ScriptureBook("GEN", "Gen", "Genesis", "Genesis"),
        ScriptureBook("EXO", "Exod", "Exodus", "Exodus"),
        ScriptureBook("LEV", "Lev", "Leviticus", "Leviticus"),
        ScriptureBook("NUM", "Num", "Numbers", "Numbers"),
        ScriptureBook("DEU", "Deut", "Deuteronomy", "Deuteronomy"),
        ScriptureBook("JOS", "Josh", "Joshua", "Joshua"),
        ScriptureBook("JDG", "Judg", "Judges", "Judges"),
        ScriptureBook("RUT", "Ruth", "Ruth", "Ruth"),
        ScriptureBook("1SA", "1Sam", "1 Samuel", "I Samuel"),
        ScriptureBook("2SA", "2Sam", "2 Samuel", "II Samuel"),
        ScriptureBook("1KI", "1Kgs", "1 Kings", "I Kings"),
        ScriptureBook("2KI", "2Kgs", "2 Kings", "II Kings"),
        ScriptureBook("1CH", "1Chr", "1 Chronicles", "I Chronicles"),
        ScriptureBook("2CH", "2Chr", "2 Chronicles", "II Chronicles"),
        ScriptureBook("EZR", "Ezra", "Ezra", "Ezra"),
        ScriptureBook("NEH", "Neh", "Nehemiah", "Nehemiah"),
        ScriptureBook("EST", "Esth", "Esther", "Esther"),
        ScriptureBook("JOB", "Job", "Job", "Job"),
        ScriptureBook("PSA", "Ps", "Psalms", "Psalms"),
        ScriptureBook("PRO", "Prov", "Proverbs", "Proverbs"),
        ScriptureBook("ECC", "Eccl", "Ecclesiastes", "Ecclesiastes"),
        ScriptureBook("SNG", "Song", "Song of Solomon", "Song of Solomon"),
        ScriptureBook("ISA", "Isa", "Isaiah", "Isaiah"),
        ScriptureBook("JER", "Jer", "Jeremiah", "Jeremiah"),
        ScriptureBook("LAM", "Lam", "Lamentations", "Lamentations"),
        ScriptureBook("EZK", "Ezek", "Ezekiel", "Ezekiel"),
        ScriptureBook("DAN", "Dan", "Daniel", "Daniel"),
        ScriptureBook("HOS", "Hos", "Hosea", "Hosea"),
        ScriptureBook("JOL", "Joel", "Joel", "Joel"),
        ScriptureBook("AMO", "Amos", "Amos", "Amos"),
        ScriptureBook("OBA", "Obad", "Obadiah", "Obadiah"),
        ScriptureBook("JON", "Jonah", "Jonah", "Jonah"),
        ScriptureBook("MIC", "Mic", "Micah", "Micah"),
        ScriptureBook("NAM", "Nah", "Nahum", "Nahum"),
        ScriptureBook("HAB", "Hab", "Habakkuk", "Habakkuk"),
        ScriptureBook("ZEP", "Zeph", "Zephaniah", "Zephaniah"),
        ScriptureBook("HAG", "Hag", "Haggai", "Haggai"),
        ScriptureBook("ZEC", "Zech", "Zechariah", "Zechariah"),
        ScriptureBook("MAL", "Mal", "Malachi", "Malachi"),
        ScriptureBook("TOB", "Tob", "Tobit", "Tobit"),
        ScriptureBook("JDT", "Jdt", "Judith", "Judith"),
        ScriptureBook("ESG", "EsthGr", "Esther (Greek)", "Esther (Greek)"),
        ScriptureBook("", "AddEsth", "Additions to Esther", "Additions to Esther"),
        ScriptureBook("WIS", "Wis", "Wisdom", "Wisdom"),
        ScriptureBook("SIR", "Sir", "Sirach", "Sirach"),
        ScriptureBook("BAR", "Bar", "Baruch", "Baruch"),
        ScriptureBook("LJE", "EpJer", "Letter of Jeremiah", "Epistle of Jeremiah"),
        ScriptureBook("S3Y", "PrAzar", "Prayer of Azariah", "Prayer of Azariah"),
        ScriptureBook("SUS", "Sus", "Susanna", "Susanna"),
        ScriptureBook("BEL", "Bel", "Bel and the Dragon", "Bel and the Dragon"),
        ScriptureBook("", "AddDan", "Additions to Daniel", "Additions to Daniel"),
        ScriptureBook("1MA", "1Macc", "1 Maccabees", "I Maccabees"),
        ScriptureBook("2MA", "2Macc", "2 Maccabees", "II Maccabees"),
        ScriptureBook("1ES", "1Esd", "1 Esdras", "I Esdras"),
        ScriptureBook("MAN", "PrMan", "Prayer of Manasseh", "Prayer of Manasses"),
        ScriptureBook("PS2", "AddPs", "Psalm 151", "Additional Psalm"),
        ScriptureBook("3MA", "3Macc", "3 Maccabees", "III Maccabees"),
        ScriptureBook("2ES", "2Esd", "2 Esdras", "II Esdras"),
        ScriptureBook("4MA", "4Macc", "4 Maccabees", "IV Maccabees"),
        ScriptureBook("DAG", "DanGr", "Daniel (Greek)", "Daniel (Greek)"),
        ScriptureBook("EZA", "4Ezra", "Apocalypse of Ezra", "IV Ezra"),
        ScriptureBook("5EZ", "5Ezra", "5 Ezra", "V Ezra"),
        ScriptureBook("6EZ", "6Ezra", "6 Ezra", "VI Ezra"),
        ScriptureBook("PS3", "5ApocSyrPss", "Psalms 152–155", "Five Apocryphal Syriac Psalms"),
        ScriptureBook("2BA", "2Bar", "2 Baruch", "II Baruch"),
        ScriptureBook("LBA", "EpBar", "Letter of Baruch", "Letter of Baruch"),
        ScriptureBook("JUB", "Jub", "Jubilees", "Jubilees"),
        ScriptureBook("ENO", "1En", "1 Enoch", "I Enoch"),
        ScriptureBook("1MQ", "1Meq", "1 Meqabyan", "I Meqabyan"),
        ScriptureBook("2MQ", "2Meq", "2 Meqabyan", "II Meqabyan"),
        ScriptureBook("3MQ", "3Meq", "3 Meqabyan", "III Meqabyan"),
        ScriptureBook("REP", "Reproof", "Reproof", "Reproof"),
        ScriptureBook("4BA", "4Bar", "4 Baruch", "IV Baruch"),
        ScriptureBook("ODA", "Odes", "Odes", "Odes"),
        ScriptureBook("PSS", "PssSol", "Psalms of Solomon", "Psalms of Solomon"),
        ScriptureBook("MAT", "Matt", "Matthew", "Matthew"),
        ScriptureBook("MRK", "Mark", "Mark", "Mark"),
        ScriptureBook("LUK", "Luke", "Luke", "Luke"),
        ScriptureBook("JHN", "John", "John", "John"),
        ScriptureBook("ACT", "Acts", "Acts", "Acts"),
        ScriptureBook("ROM", "Rom", "Romans", "Romans"),
        ScriptureBook("1CO", "1Cor", "1 Corinthians", "I Corinthians"),
        ScriptureBook("2CO", "2Cor", "2 Corinthians", "II Corinthians"),
        ScriptureBook("GAL", "Gal", "Galatians", "Galatians"),
        ScriptureBook("EPH", "Eph", "Ephesians", "Ephesians"),
        ScriptureBook("PHP", "Phil", "Philippians", "Philippians"),
        ScriptureBook("COL", "Col", "Colossians", "Colossians"),
        ScriptureBook("1TH", "1Thess", "1 Thessalonians", "I Thessalonians"),
        ScriptureBook("2TH", "2Thess", "2 Thessalonians", "II Thessalonians"),
        ScriptureBook("1TI", "1Tim", "1 Timothy", "I Timothy"),
        ScriptureBook("2TI", "2Tim", "2 Timothy", "II Timothy"),
        ScriptureBook("TIT", "Titus", "Titus", "Titus"),
        ScriptureBook("PHM", "Phlm", "Philemon", "Philemon"),
        ScriptureBook("HEB", "Heb", "Hebrews", "Hebrews"),
        ScriptureBook("JAS", "Jas", "James", "James"),
        ScriptureBook("1PE", "1Pet", "1 Peter", "I Peter"),
        ScriptureBook("2PE", "2Pet", "2 Peter", "II Peter"),
        ScriptureBook("1JN", "1John", "1 John", "I John"),
        ScriptureBook("2JN", "2John", "2 John", "II John"),
        ScriptureBook("3JN", "3John", "3 John", "III John"),
        ScriptureBook("JUD", "Jude", "Jude", "Jude"),
        ScriptureBook("REV", "Rev", "Revelation", "Revelation of John"),
        ScriptureBook("LAO", "EpLao", "Laodiceans", "Laodiceans"),
        ScriptureBook("BAK", "Back", "Back Matter", ""),
        ScriptureBook("OTH", "Other", "Other Matter", ""),
        ScriptureBook("CNC", "Concordance", "Concordance", ""),
        ScriptureBook("GLO", "Glossary", "Glossary", ""),
        ScriptureBook("TDX", "TopicalIndex", "Topical Index", ""),
        ScriptureBook("NDX", "NamesIndex", "Names Index", ""),
        ScriptureBook("XXA", "ExtraA", "Extra A", ""),
        ScriptureBook("XXB", "ExtraB", "Extra B", ""),
        ScriptureBook("XXC", "ExtraC", "Extra C", ""),
        ScriptureBook("XXD", "ExtraD", "Extra D", ""),
        ScriptureBook("XXE", "ExtraE", "Extra E", ""),
        ScriptureBook("XXF", "ExtraF", "Extra F", ""),
        ScriptureBook("XXG", "ExtraG", "Extra G", ""),
    ]
}
