import Foundation
import Hablare

/// Has answers made that are as a schema wants them: one that is not goes back to the model with what is wrong.
struct SchemaJudge: Sendable {
    /// How often an answer is sent back unless something else is said.
    static let usualRepairs = 1

    private let requestor: StructuredRequestor<ParameterValue>

    /// - Parameters:
    ///   - schema: What the answers must look like.
    ///   - repairs: How often one is sent back, from 0 to 5.
    ///   - installed: Who is asked: a service that holds its models to schemas, or anybody who answers with text.
    /// - Throws: ``CommandFailure`` where no schema is for what it answers with; `AIServiceError` for a name that cannot be
    ///   asked so.
    init(_ schema: JSONSchema, repairs: Int, of installed: InstalledProvider) throws {
        let type = installed.provider.responseType
        guard type == .structured || type == .text else {
            throw CommandFailure(
                .usage,
                "The provider \(installed.name) answers with \(type.rawValue), which no schema is for. Ask another one."
            )
        }
        // A program is called by all of its name; of a service the requestor finds the provider itself.
        requestor = try StructuredRequestor(
            "\(installed.service ?? installed.name).structured.default",
            StructuredConfiguration(
                schema: schema, placement: type == .structured ? .parameter : .prompt, maximumRepairs: repairs))
    }

    /// How many places of a job a request takes, with those of its repairs.
    var places: Int { requestor.configuration.maximumRepairs + 1 }

    /// Tells the model of the schema.
    ///
    /// - Throws: `AIServiceError`.
    func prepare(_ request: inout AIRequest) throws {
        let drafted = try requestor.request(request.prompt, id: request.id)
        request.prompt = drafted.prompt
        request.parameters.merge(drafted.parameters) { $1 }
    }

    /// Has an answer made, from a place of a job on.
    ///
    /// - Throws: `AIServiceError` where the request fails, or no answer is as it should be; `CancellationError`.
    func answer(
        to request: AIRequest, in job: JobKey, at place: Int, by manager: AIRequestManager
    ) async throws -> AnswersRun.Ending {
        let output = try await requestor.ask(request, manager: manager, jobKey: job, at: place)
        return .complete(by: output.response.requestID, value: output.value, repairs: output.repairs)
    }
}
