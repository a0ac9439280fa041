import Foundation
import Hablare
import HablareStructured

struct SchemaJudge: Sendable {
    static let usualRepairs = 1

    private let requestor: StructuredRequestor<ParameterValue>
    private let provider: ProviderID

    /// - Parameter installed: The provider: a service that enforces schemas, or any provider that answers with text.
    init(_ schema: JSONSchema, repairs: Int, of installed: InstalledProvider) throws {
        let type = installed.provider.responseType
        guard type == .structured || type == .text else {
            throw CommandFailure(
                .usage,
                """
                Provider \(installed.name) answers with \(type.rawValue), and --schema needs text. Choose another \
                with --provider.
                """
            )
        }
        requestor = try StructuredRequestor(
            "\(installed.service ?? installed.name).structured.default",
            StructuredConfiguration(
                schema: schema, placement: type == .structured ? .parameter : .prompt, maximumRepairs: repairs))
        // The id includes the address if it is not the configured one.
        provider = installed.provider.id
    }

    var positionCount: Int { requestor.configuration.maximumRepairs + 1 }

    /// Returns the ids of a request and of all possible repairs of its answer, in order.
    func chain(of id: UUID) -> [UUID] {
        [id] + (1..<positionCount).map { AIRequest.repairID(of: id, number: $0) }
    }

    func prepare(_ request: inout AIRequest) throws {
        let drafted = try requestor.request(request.prompt, id: request.id)
        request.prompt = drafted.prompt
        request.parameters.merge(drafted.parameters) { $1 }
    }

    func answer(
        to request: AIRequest, in job: JobKey, at position: Int, by manager: AIRequestManager
    ) async throws -> AnswersRun.Ending {
        let output = try await requestor.ask(request, manager: manager, jobKey: job, at: position, provider: provider)
        return .complete(by: output.response.requestID, value: output.value, repairs: output.repairs)
    }

    /// Returns the value of a stored answer; `nil` if it does not satisfy the schema or cannot be read. Makes no
    /// request.
    func value(of response: AIResponseData) async throws -> ParameterValue? {
        do {
            return try await requestor.output(of: response).value
        } catch let error as AIServiceError where error.category != .storage {
            return nil
        }
    }
}

enum SchemaFile {
    static let mostBytes = 1 << 20

    static func schema(_ url: URL) throws -> JSONSchema {
        try schema(InputFile.read(url, atMost: mostBytes, what: "schema"), at: url)
    }

    /// - Parameter url: The file that contains the schema.
    static func schema(_ data: Data, at url: URL) throws -> JSONSchema {
        do throws(JSONSchema.Fault) {
            return try JSONSchema(json: data)
        } catch {
            throw CommandFailure(.badInput, "\(url.path) is not a valid schema. \(error.description)")
        }
    }
}
