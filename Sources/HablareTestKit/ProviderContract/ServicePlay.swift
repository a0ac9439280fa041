/// A behaviour that the simulated service shows in all calls of a scene. Some behaviours depend on the number in the
/// call's prompt.
public enum ServicePlay: String, Sendable, Hashable, CaseIterable {
    /// The service answers correctly and reports its limits.
    case answers
    /// The service answers correctly, one byte at a time.
    case drips
    /// The service answers correctly up to the byte whose number is in the prompt. Then the connection is lost, or the
    /// program is killed.
    case breaksOff
    /// The service answers correctly up to the byte whose number is in the prompt. Then it ends the answer normally, as
    /// if all bytes had been sent.
    case endsEarly
    /// The service sends the first half of a correct answer, and then sends no more data. If the provider yields
    /// pieces, it can yield the first half.
    case pauses
    /// The service sends ``ProviderStage/signCount`` signs of progress, like a model that thinks. Then it sends nothing
    /// more, and no part of an answer.
    case thinks
    /// The service accepts the call and sends nothing.
    case isSilent
    /// The service begins to answer correctly, and sends data without end.
    case neverEnds
    /// The service fails with the row of ``ProviderStage/failures`` whose number is in the prompt.
    case refuses
    /// The service refuses the call with an error page of 10 MB or without end.
    case floods
    /// The service responds with data that is not an answer. There are ``ProviderStage/mistakeCount`` such responses.
    /// The number in the prompt selects one of them. For example, the response has another kind of content or another
    /// form, or is empty.
    case mistakes
    /// The service repeats the prompt and the key in its response. There are ``ProviderStage/repetitionCount`` such
    /// responses. The number in the prompt selects one of them. For example, the text of a refusal, a field of an
    /// answer, or an error code contains the prompt and the key.
    case repeats
}
