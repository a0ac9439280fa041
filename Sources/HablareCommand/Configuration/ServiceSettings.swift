import HablareProviders

/// What is configured of one service.
struct ServiceSettings: Sendable, Equatable {
    /// What it is called here.
    let name: String
    /// How it speaks.
    let kind: ServiceKind
    /// Where it is, as it was written; the address of the kind's own service where nothing was.
    var address: String
    /// What is wrong with ``address``, and where it was written; `nil` where nothing is. It counts once the service is
    /// to be asked: another one can be asked meanwhile.
    var addressProblem: CommandFailure?
    /// The model of texts and structured answers. Default: the provider's own, as for the three others.
    var model: String?
    var speechModel: String?
    var imageModel: String?
    var embeddingModel: String?
    /// The voice that speaks.
    var voice: String?
    /// With which interface an OpenAI service is asked for text.
    var interface = TextInterface.chat
    /// Whether it is asked only with a key.
    var needsKey = true
    /// Whether it may be asked at all.
    var isEnabled = true
    /// How many calls run at once.
    var concurrency = 4
    /// Calls a minute; `nil`: no limit but the service's own.
    var rate: Double?
    /// How long one attempt may take, or be silent where it streams.
    var timeout = Duration.seconds(120)
    /// What else its calls say, by names in small letters. Never a secret.
    var headers: [String: String] = [:]
    /// Who is asked where it fails, in order.
    var fallback: [String] = []

    init(_ name: String, _ kind: ServiceKind) {
        self.name = name
        self.kind = kind
        address = kind.address
    }

    /// Those that are there without being configured.
    static let builtIn = ServiceKind.allCases.map { ServiceSettings($0.rawValue, $0) }
}
