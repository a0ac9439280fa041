import ArgumentParser
import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareStructured

struct ContinueOptions: ParsableArguments {
    @Flag(
        name: [.customShort("c"), .customLong("continue")],
        help: """
            Continue the newest conversation: send its prompts and answers before this prompt, to the same provider and \
            model.
            """)
    var continues = false

    @Option(
        name: .customLong("continue-from"),
        help: ArgumentHelp(
            """
            Continue the conversation of this request. Give the request's id, the first characters of the id, or \
            \"last\".
            """, valueName: "id"),
        transform: RequestReference.parse)
    var continueFrom: RequestReference?

    /// Whether the request continues an earlier conversation.
    var isGiven: Bool { continues || continueFrom != nil }

    func validate() throws {
        guard !continues || continueFrom == nil else {
            throw ValidationError("-c and --continue-from each name a conversation. Leave one of them out.")
        }
    }

    /// Returns the conversation to continue; `nil` if the options name none.
    func conversation(_ data: DataOptions, in composition: Composition) async throws -> EarlierConversation? {
        guard continues || continueFrom != nil else { return nil }
        let store = try data.openForRequest(for: .reading, in: composition).store
        let id = try continueFrom.map { try data.id(of: $0, in: store) } ?? store.newestConversation()
        guard let id else {
            throw CommandFailure(
                .inputMissing, "There is no conversation in this store yet. Leave -c out to begin one.")
        }
        return try await EarlierConversation(endingWith: id, in: store, data)
    }
}

/// A conversation up to a stored answer, with the provider, the model and the options of its last request.
struct EarlierConversation: Sendable, Hashable {
    /// The name of a metadata entry. Its value is the id of the request that a request continues.
    static let label = "continues"

    /// The request whose answer is the last message.
    let id: UUID
    let provider: ProviderID
    let model: String?
    private let conversation: Conversation
    private let tools: ParameterValue?

    /// Reads a request and its answer.
    ///
    /// - Throws: ``CommandFailure`` if the request has no answer, or if its answer cannot be continued.
    init(endingWith id: UUID, in store: any StoreReading, _ data: DataOptions) async throws {
        guard let stored = try store.request(of: id), let snapshot = try store.snapshot(of: id) else {
            throw data.unknown(id)
        }
        let request = stored.request
        guard snapshot.phase == .completed, let response = try store.response(of: id) else {
            throw Self.unanswered(snapshot, data)
        }
        guard try response.toolCalls.isEmpty else {
            throw CommandFailure(
                .usage,
                "The answer of request \(id.text) asks for tool calls that have no results. Continue another request."
            )
        }
        var conversation = try Conversation(request.prompt, parameters: request.parameters)
        do {
            let type = try response.content.type
            guard type == .text else {
                throw CommandFailure(
                    .usage,
                    "The answer of request \(id.text) is \(type.rawValue), and only a text can be continued. Pass --continue-from ID."
                )
            }
            // The name is not used for reading.
            conversation.append(try await TextRequestor("any.text.default").output(of: response))
        } catch let error as AIServiceError where [.responseExpired, .contentMissing].contains(error.code) {
            throw CommandFailure(
                .inputMissing,
                "The answer of request \(id.text) is no longer kept: it was pruned, or its file is missing. Continue another request, or begin a new conversation."
            )
        }
        self.id = id
        provider = ProviderID(rawValue: BatchName.live(of: stored.provider))
        model = request.model
        self.conversation = conversation
        tools = request.parameters[ToolDefinition.parameterName]
    }

    private static func unanswered(_ snapshot: RequestSnapshot, _ data: DataOptions) -> CommandFailure {
        let id = snapshot.id.text
        let problem =
            switch snapshot.phase {
            case .failed: "Request \(id) failed, so it has no answer to continue. To retry it: \(retrying(id, data))"
            case .cancelled: "Request \(id) was cancelled, so it has no answer to continue."
            default:
                "Request \(id) has no answer yet. To run it: \(data.commandLine("work")). To wait for it: \(data.commandLine("watch", id))"
            }
        guard let before = snapshot.metadata[label] else { return CommandFailure(.inputMissing, problem) }
        return CommandFailure(
            .inputMissing, "\(problem)\nTo continue from the answer before it: --continue-from \(before)")
    }

    private static func retrying(_ id: String, _ data: DataOptions) -> String {
        "\(data.commandLine("retry", id)) && \(data.commandLine("work"))"
    }

    /// Returns options that name the provider and the model of the conversation, unless they already name others.
    func asking(_ options: ServiceOptions) -> ServiceOptions {
        var options = options
        let named = options.baseURL == nil ? provider.rawValue : AddressedName.provider(of: provider.rawValue)
        options.provider = options.provider ?? named
        if options.provider == named { options.model = options.model ?? model }
        return options
    }

    /// Returns the prompt of the next request. If the next request has instructions, they replace the instructions of
    /// the conversation.
    func prompt(adding next: Prompt, for installed: InstalledProvider) throws -> Prompt {
        guard installed.isLanguageModel else {
            throw CommandFailure(
                .usage,
                "\(installed.name) takes one text and no conversation. Pass --provider with a service, or leave -c out."
            )
        }
        let added = Conversation(next).messages
        let isInstructed = added.contains { $0.role == .system }
        let instructions = (isInstructed ? added : conversation.messages).filter { $0.role == .system }
        return .messages(instructions + (conversation.messages + added).filter { $0.role != .system })
    }

    /// Adds the model's earlier thinking to the next request, if the same model accepts its thinking back. If the
    /// request has no tools, also adds the tools that the model called before, because services require them, and
    /// forbids their use.
    func prepare(_ request: inout AIRequest, for installed: InstalledProvider, runsTools: Bool) {
        request.metadata[Self.label] = id.text
        if installed.takesThinking, installed.provider.id == provider, installed.askedModel == model {
            request.parameters.merge(conversation.parameters) { given, _ in given }
        }
        let hasCalls = conversation.messages.contains { message in
            message.parts.contains { if case .toolCall = $0 { true } else { false } }
        }
        if hasCalls, !runsTools, let tools, request.parameters[ToolDefinition.parameterName] == nil {
            request.parameters[ToolDefinition.parameterName] = tools
            request.parameters["tool_choice"] = "none"
        }
    }
}

extension StoreReading {
    /// Returns the newest request of `generate`, or of an app; `nil` if there is none.
    func newestConversation() throws -> UUID? {
        func isOne(_ snapshot: RequestSnapshot) -> Bool {
            guard let job = snapshot.job?.rawValue else { return true }
            return job.hasPrefix("generate ") || job.hasPrefix("tools ") && ToolLoop.turn(of: snapshot) != nil
        }
        guard let last = try lastID(), let newest = try snapshot(of: last) else { return nil }
        if isOne(newest) { return last }
        // The store returns the newest requests last.
        var found: UUID?
        try forEachPage(SnapshotFilter()) { page in found = page.last(where: isOne)?.id ?? found }
        return found
    }
}
