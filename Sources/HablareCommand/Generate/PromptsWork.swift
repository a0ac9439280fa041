import Foundation
import Hablare

/// The job of `generate --prompts`: a request for each prompt.
struct PromptsWork: Sendable {
    /// The version of the requests. If you change how the requests are made, change the version, so that old jobs and
    /// new work are not mixed.
    private static let version = "generate 1"

    let work: JobWork

    /// - Parameters:
    ///   - request: The request of the first prompt. The other requests have its parameters.
    ///   - team: The provider that is called first, followed by its fallback providers.
    ///   - instance: The instance of the provider's normal calls. The job's key contains neither the deadline nor the
    ///     fallback providers, so that the same command finds its requests with and without a batch.
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
    /// Returns the same request with another prompt.
    func asking(_ prompt: Prompt) -> AIRequest {
        var request = self
        request.prompt = prompt
        return request
    }
}
