import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// The first and last step of every request: guards it, turns errors into problems, and adds the safety headers.
struct FaceGate: RouterMiddleware {
    let face: Face
    let limits: FaceLimits
    let guarding: LoopbackGuard
    let access: AccessControl

    func handle(
        _ request: Request, context: FaceContext,
        next: @concurrent (Request, FaceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await answer(request, context, next)
        if !response.headers.contains(.contentSecurityPolicy) {
            response.headers[.contentSecurityPolicy] =
                "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        }
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.frameOptions] = "DENY"
        // With `no-referrer`, browsers would send `Origin: null` with the forms of our own pages.
        response.headers[.referrerPolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
        response.headers[.resourcePolicy] = "same-origin"
        return response
    }

    private func answer(
        _ request: Request, _ context: FaceContext,
        _ next: @concurrent (Request, FaceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.maxUploadSize = limits.bodyBytes
        let path = request.uri.path
        let takesForms = path.hasPrefix("/commands/") && face.commands.takesForm(String(path.dropFirst(10)))
        if let problem = guarding.problem(of: request.head, port: context.port, takesForms: takesForms) {
            return response(for: problem, request)
        }
        if path != "/healthz", path != "/start" {
            switch access.decide(request.headers, port: context.port) {
            case .allowed: break
            case .refused(let problem, let asksForPassword):
                var response = response(for: problem, request)
                if asksForPassword { response.headers[.wwwAuthenticate] = "Basic realm=\"\(face.name)\"" }
                return response
            }
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            throw error  // the body is malformed, so nothing more can be read from this connection
        } catch {
            return response(for: problem(for: error, request, context), request)
        }
    }

    private func problem(for error: any Error, _ request: Request, _ context: FaceContext) -> FaceProblem {
        switch error {
        case let error as FaceProblem: return error
        case let error as any HTTPResponseError: return FaceProblem(status: error.status)
        default:
            if let problem = face.problem(error) { return problem }
            if !(error is CancellationError) {
                context.logger.error(
                    "Request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
            }
            return FaceProblem(error)
        }
    }

    private func response(for problem: FaceProblem, _ request: Request) -> Response {
        let wantsHTML = request.headers[.accept]?.contains("text/html") ?? false
        var response = wantsHTML ? face.pages.response(for: problem) : problem.response()
        if let retryAfter = problem.retryAfter {
            response.headers[.retryAfter] = String(Int((retryAfter / .seconds(1)).rounded(.up)))
        }
        return response
    }
}

extension FaceContext {
    /// The port on which the request arrived.
    var port: Int { channel.localAddress?.port ?? 0 }
}
