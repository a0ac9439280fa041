/// A piece of a typed list of references, as it stands there, before it is known which books and verses it means.
struct ReferencePhrase: Equatable {
    /// The sign before a phrase.
    enum Separator { case start, comma, semicolon }
    /// Books that a name may mean.
    struct Books: Equatable {
        var candidates: [BookID]
        /// A Boolean value that says whether the name is misspelt.
        var isGuess = false
    }
    /// Numbers of a place.
    enum Spot: Equatable {
        case number(Int)
        case chapter(Int)
        case verse(Int)
        case both(Int, Int)
    }
    /// The sign behind a place.
    enum Following { case nothing, one, rest }

    var separator: Separator
    var books: Books?
    var first: Spot?
    var lastBooks: Books?
    var last: Spot?
    var following = Following.nothing
    /// A Boolean value that says whether a dash stands between two places.
    var isRange = false
}
