import Foundation
import Hablare

/// The job of `generate --prompts`: a request for each prompt. Pure.
struct PromptsWork: Sendable {
    /// The version of the requests. Change it with them, so that old jobs and new work are not mixed.
    private static let version = "generate 1"

    let work: JobWork

    /// - Parameters:
    ///   - request: The request of the first prompt. The others have its parameters.
    ///   - team: The provider that is asked first, and those that the requests fall back on.
    ///   - instance: The instance of the provider's live calls. The job's key has neither the deadline nor the providers
    ///     to fall back on, so the same command finds its requests with and without a batch.
    init(
        _ request: AIRequest, _ prompts: [Prompt], of team: [InstalledProvider], instance: ProviderInstance
    ) throws {
        let requests = prompts.map { prompt in request.asking(prompt) }
        let digests = try requests.map { request in
            var request = request
            request.fallback = []
            return try Fingerprint(request, instance: instance).digest
        }
        work = JobWork(
            job: .hashing([Data(Self.version.utf8)] + digests), provider: team[0].provider.id, count: prompts.count,
            noun: "prompt"
        ) { index, id in requests[index].named(id) }
    }
}

extension AIRequest {
    /// Returns the request with another prompt.
    func asking(_ prompt: Prompt) -> AIRequest {
        var request = self
        request.prompt = prompt
        return request
    }
}
