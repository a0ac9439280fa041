public import Foundation
import Hablare

extension AIDataCoordinator {
    /// Merges the response of a request into a property of a model when it comes, and keeps neither the caller nor the model
    /// waiting: where the model is gone by then, nothing is merged.
    ///
    /// What comes of it is told by ``merges``. It waits through the engine's rests. A request that fails or is cancelled is
    /// waited for no longer. It does not survive the process, nor the coordinator.
    ///
    /// - Parameters:
    ///   - requestID: The request, which was submitted.
    ///   - model: The model, held weakly.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: What ends the wait.
    @discardableResult
    public func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ requestID: UUID, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) -> Delivery {
        let address = ModelAddress(model, property, rules)
        let key = modelKey(requestID, property)
        let number = deliveries.start { [weak self, manager, merger, clock = seams.clock] in
            do {
                guard let response = try await manager.patientlyExecute(requestID, clock: clock) else { return }
                await self?.deliver(response, to: address)
            } catch is CancellationError {
                return
            } catch {
                merger.events.tell(.willMerge([key]))
                merger.events.tell(.mergeFailed(key, MergeError.recorded(error, of: requestID)))
            }
        }
        return Delivery(number, of: deliveries)
    }

    fileprivate func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, to address: ModelAddress<Model, Value>
    ) async {
        do {
            _ = try await recorded(modelKey(response.requestID, address.property)) {
                // The model is held only while a property is set. Nothing is read for one that is gone.
                _ = try address.present
                let prepared = try await Self.prepare(response, as: Value.self, address.rules, merger)
                defer { prepared.letGo() }
                let model = try address.present
                return merger.meters.onMainActor {
                    set(of: response.requestID, in: model, .init(address.property)) {
                        model[keyPath: address.property] = prepared.value
                    }
                }
            }
        } catch {
            // Told of by an event.
        }
    }
}

extension AIRequestManager {
    /// Waits for a response through the engine's rests and the store's bad moments; `nil` where the engine goes away
    /// meanwhile.
    fileprivate func patientlyExecute(_ id: UUID, clock: EngineClock) async throws -> AIResponseData? {
        // Listened to only between rests: what is told while it waits for the outcome would pile up.
        var revivals: AsyncStream<Revival>.Iterator?
        var wait = Duration.seconds(1)
        while true {
            try Task.checkCancellation()
            do {
                return try await execute(requestID: id)
            } catch let error as AIServiceError where error.code == .suspended {
                guard revivals != nil else {
                    // Looked at once more, because the engine may be back since.
                    revivals = self.revivals().makeAsyncIterator()
                    continue
                }
                repeat {
                    guard let revival = await revivals?.next() else { return nil }
                    if revival == .engine { break }
                } while true
                revivals = nil
            } catch let error as AIServiceError where error.category == .storage && error.isRetryable {
                try await clock.sleep(for: wait)
                wait = min(wait * 2, .seconds(60))
            }
        }
    }
}

/// Where a response goes that is to come: a property of a model that is not kept alive for it.
@MainActor private final class ModelAddress<Model: AnyObject, Value: Sendable> {
    private weak var model: Model?
    let property: ReferenceWritableKeyPath<Model, Value>
    let rules: [ContentRule]

    init(_ model: Model, _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]) {
        self.model = model
        self.property = property
        self.rules = rules
    }

    /// The model.
    ///
    /// - Throws: ``MergeError/Code/modelGone``.
    var present: Model {
        get throws {
            guard let model else {
                throw MergeError(
                    .modelGone,
                    "The model went away before its response came. The response is kept: merge it into another one.")
            }
            return model
        }
    }
}
