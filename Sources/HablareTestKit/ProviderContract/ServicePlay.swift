/// What a service does with the calls of a scene. Which call is meant by a number is said by its prompt.
public enum ServicePlay: String, Sendable, Hashable, CaseIterable {
    /// It answers well, with what it says of its limits.
    case answers
    /// It answers well, and each byte of it comes alone.
    case drips
    /// To the prompt of number n it answers well up to byte n, and then is gone: the connection is lost, the program is
    /// killed.
    case breaksOff
    /// To the prompt of number n it answers well up to byte n, and then ends in order, as if that had been all.
    case endsEarly
    /// It answers well up to the middle, and says nothing more. Where the provider yields, something to yield comes before.
    case pauses
    /// It shows as often as ``ProviderStage/signCount`` says that it is at work, as a model does that thinks, brings nothing
    /// of the answer, and says nothing more.
    case thinks
    /// It takes the call and says nothing.
    case isSilent
    /// It begins to answer well and never ends.
    case neverEnds
    /// To the prompt of number n it answers with row n of ``ProviderStage/failures``.
    case refuses
    /// It refuses, with an error page of 10 MB or without an end.
    case floods
    /// To the prompt of number n it answers with something that is no answer at all, in the n-th of
    /// ``ProviderStage/mistakeCount`` ways: of another kind, of another form, of nothing.
    case mistakes
    /// To the prompt of number n it says back the prompt and the key, in the n-th of ``ProviderStage/repetitionCount`` ways:
    /// in the words of a refusal, in fields of an answer, where a code should be.
    case repeats
}
