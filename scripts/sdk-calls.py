"""Calls a server on loopback with the vendors' own libraries, and prints what they read.

Usage: sdk-calls.py BASE_URL REQUEST_ID

The test `SDKWireTests` starts the server, makes the same calls with our providers, and compares them. Each call says
its case in the header `x-case`. A line of JSON is printed for each case.
"""

import json
import sys

import anthropic
import elevenlabs
import elevenlabs.client
import httpx
import openai

BASE, REQUEST_ID = sys.argv[1:3]
PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4, 5])
WAVE = b"RIFF\x01\x02\x03\x04WAVEfmt and sound"
VOICE = "JBFqnCBsd6RMkjVDRZzb"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ANSWER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
USER = [{"role": "user", "content": "How is it?"}]

openai_client = openai.OpenAI(api_key="sk-test-0123456789abcdef", base_url=BASE + "/v1", max_retries=0, timeout=30)
anthropic_client = anthropic.Anthropic(
    api_key="sk-ant-api03-0123456789abcdef", base_url=BASE, max_retries=0, timeout=30
)
elevenlabs_client = elevenlabs.client.ElevenLabs(
    api_key="sk_0123456789abcdef", base_url=BASE, httpx_client=httpx.Client(timeout=30)
)

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def chat_tool():
    function = {"name": "weather", "description": "The weather.", "parameters": SCHEMA}
    return {"type": "function", "function": function}


@case
def chat(headers):
    answer = openai_client.chat.completions.create(
        model="gpt-6-luna", messages=USER, max_completion_tokens=50, temperature=0.5, seed=7, stop=["END"],
        extra_headers=headers,
    )
    return [answer.choices[0].message.content, answer.choices[0].finish_reason, answer.usage.prompt_tokens]


@case
def chat_streamed(headers):
    text, tokens = "", None
    for chunk in openai_client.chat.completions.create(
        model="gpt-6-luna", messages=USER, stream=True, stream_options={"include_usage": True}, extra_headers=headers
    ):
        text += "".join(choice.delta.content or "" for choice in chunk.choices)
        tokens = chunk.usage.prompt_tokens if chunk.usage else tokens
    return [text, tokens]


@case
def chat_tools(headers):
    answer = openai_client.chat.completions.create(
        model="gpt-6-luna", messages=USER, tools=[chat_tool()], tool_choice="auto", reasoning_effort="none",
        extra_headers=headers,
    )
    call = answer.choices[0].message.tool_calls[0]
    return [call.id, call.function.name, json.loads(call.function.arguments)["city"]]


@case
def chat_schema(headers):
    answer = openai_client.chat.completions.create(
        model="gpt-6-luna", messages=USER, extra_headers=headers,
        response_format={
            "type": "json_schema", "json_schema": {"name": "answer", "schema": ANSWER, "strict": True},
        },
    )
    return [json.loads(answer.choices[0].message.content)["city"]]


def refused(call):
    """Makes a call that the server refuses, and returns how the library reports it."""
    try:
        call()
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        said = error.body.get("error", error.body)
        return [error.status_code, type(error).__name__, said["message"], error.response.headers.get("retry-after")]
    return "not refused"


def chat_of(text, headers):
    messages = [{"role": "user", "content": text}]
    return lambda: openai_client.chat.completions.create(model="gpt-6-luna", messages=messages, extra_headers=headers)


@case
def chat_refused(headers):
    return refused(chat_of("Refuse this.", headers))


@case
def chat_rate_limited(headers):
    return refused(chat_of("Too fast.", headers))


def response_members(**more):
    tool = {"type": "function", "name": "weather", "description": "The weather.", "parameters": SCHEMA, "strict": False}
    return {
        "model": "gpt-6-luna", "store": False, "tools": [tool], "include": ["reasoning.encrypted_content"], **more,
    }


@case
def responses(headers):
    answer = openai_client.responses.create(
        model="gpt-6-luna", input="How is it?", instructions="Be brief.", store=False, max_output_tokens=50,
        include=["reasoning.encrypted_content"], extra_headers=headers,
    )
    return [answer.output_text, answer.status, answer.usage.input_tokens]


def two_turns(headers, members):
    first = openai_client.responses.create(input="How is it?", extra_headers=headers, **members)
    call = [item for item in first.output if item.type == "function_call"][0]
    said = {"role": "user", "content": [{"type": "input_text", "text": "How is it?"}]}
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "22 degrees"}
    text = ""
    with openai_client.responses.stream(
        input=[said, *first.output, result], extra_headers=headers, **members
    ) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                text += event.delta
        last = stream.get_final_response()
    thought = [item for item in first.output if item.type == "reasoning"][0]
    return [call.name, json.loads(call.arguments)["city"], thought.encrypted_content, text, last.output_text]


@case
def responses_tools(headers):
    return two_turns(headers, response_members(reasoning={"effort": "low"}))


@case
def responses_without_effort(headers):
    return two_turns(headers, response_members())


@case
def embeddings(headers):
    answer = openai_client.embeddings.create(
        model="text-embedding-3-small", input="hello", dimensions=2, extra_headers=headers
    )
    return [*answer.data[0].embedding, answer.usage.prompt_tokens]


@case
def images(headers):
    answer = openai_client.images.generate(
        model="gpt-image-2.6-flare", prompt="A cat", n=1, size="1024x1024", quality="high", output_format="png",
        extra_headers=headers,
    )
    return [answer.data[0].b64_json, answer.usage.input_tokens]


@case
def image_edits(headers):
    answer = openai_client.images.edit(
        model="gpt-image-2.6-flare", prompt="Add a hat.", n=1, size="1024x1024",
        image=[("image-1.png", PNG, "image/png"), ("image-2.png", PNG, "image/png")], extra_headers=headers,
    )
    return [answer.data[0].b64_json]


@case
def speech(headers):
    answer = openai_client.audio.speech.create(
        model="gpt-4o-mini-tts", voice="alloy", input="Hello.", response_format="mp3", speed=1.25,
        instructions="Softly.", extra_headers=headers,
    )
    return [answer.read().decode()]


@case
def transcription(headers):
    answer = openai_client.audio.transcriptions.create(
        model="gpt-transcribe", file=("recording.wav", WAVE, "audio/wav"), response_format="json", language="en",
        prompt="Call me Ishmael.", extra_headers=headers,
    )
    return [answer.text, answer.usage.input_tokens]


@case
def batches(headers):
    body = {"model": "gpt-6-luna", "messages": USER, "stream": False}
    line = {"custom_id": REQUEST_ID, "method": "POST", "url": "/v1/chat/completions", "body": body}
    file = openai_client.files.create(
        purpose="batch", file=("batch.jsonl", json.dumps(line).encode() + b"\n", "application/jsonl"),
        extra_headers=headers,
    )
    batch = openai_client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", extra_headers=headers
    )
    batch = openai_client.batches.retrieve(batch.id, extra_headers=headers)
    output = openai_client.files.content(batch.output_file_id, extra_headers=headers).text
    errors = openai_client.files.content(batch.error_file_id, extra_headers=headers).text
    result = json.loads(output.splitlines()[0])
    answer = openai.types.chat.ChatCompletion.model_validate(result["response"]["body"])
    return [batch.status, result["custom_id"] == REQUEST_ID, answer.choices[0].message.content, errors]


@case
def openai_models(headers):
    return [model.id for model in openai_client.models.list(extra_headers=headers)]


def message(text):
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def message_members():
    tools = [{"name": name, "input_schema": SCHEMA, "description": name} for name in ("weather", "time")]
    return {
        "model": "claude-sonnet-5-5", "max_tokens": 500, "system": "Be brief.", "tools": tools,
        "thinking": {"type": "adaptive"}, "output_config": {"effort": "low"},
    }


@case
def messages(headers):
    answer = anthropic_client.messages.create(
        model="claude-sonnet-5-5", max_tokens=500, messages=[message("How is it?")], stop_sequences=["END"],
        extra_headers=headers,
    )
    return ["".join(block.text for block in answer.content if block.type == "text"), answer.stop_reason]


def message_of(text, headers):
    return lambda: anthropic_client.messages.create(
        model="claude-sonnet-5-5", max_tokens=500, messages=[message(text)], extra_headers=headers
    )


@case
def messages_refused(headers):
    return refused(message_of("Refuse this.", headers))


@case
def messages_rate_limited(headers):
    return refused(message_of("Too fast.", headers))


@case
def messages_streamed(headers):
    with anthropic_client.messages.stream(
        model="claude-sonnet-5-5", max_tokens=500, messages=[message("How is it?")], extra_headers=headers
    ) as stream:
        text = "".join(stream.text_stream)
        return [text, stream.get_final_message().stop_reason]


@case
def messages_tools(headers):
    asked = message("How is it?")
    with anthropic_client.messages.stream(messages=[asked], extra_headers=headers, **message_members()) as stream:
        first = stream.get_final_message()
    calls = [block for block in first.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "22 degrees"} for call in calls]
    turns = [asked, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    with anthropic_client.messages.stream(messages=turns, extra_headers=headers, **message_members()) as stream:
        text = "".join(stream.text_stream)
    thought = [block for block in first.content if block.type == "thinking"][0]
    return [first.stop_reason, [call.name for call in calls], thought.signature, text]


@case
def message_batches(headers):
    params = {"model": "claude-sonnet-5-5", "max_tokens": 500, "messages": [message("How is it?")]}
    batch = anthropic_client.messages.batches.create(
        requests=[{"custom_id": REQUEST_ID, "params": params}], extra_headers=headers
    )
    batch = anthropic_client.messages.batches.retrieve(batch.id, extra_headers=headers)
    results = list(anthropic_client.messages.batches.results(batch.id, extra_headers=headers))
    blocks = results[0].result.message.content
    return [batch.processing_status, results[0].custom_id == REQUEST_ID, "".join(block.text for block in blocks)]


@case
def anthropic_models(headers):
    return [model.id for model in anthropic_client.models.list(limit=1000, extra_headers=headers)]


def sound(**more):
    settings = elevenlabs.VoiceSettings(stability=0.5, similarity_boost=0.75)
    return {
        "voice_id": VOICE, "text": "Hi you.", "model_id": "eleven_multilingual_v2",
        "output_format": "mp3_44100_128", "voice_settings": settings, "seed": 7, **more,
    }


@case
def elevenlabs_speech(headers):
    options = {"additional_headers": headers}
    return [b"".join(elevenlabs_client.text_to_speech.convert(request_options=options, **sound())).decode()]


@case
def elevenlabs_times(headers):
    options = {"additional_headers": headers}
    pieces = list(elevenlabs_client.text_to_speech.stream_with_timestamps(request_options=options, **sound()))
    characters = [character for piece in pieces for character in piece.alignment.characters]
    return ["".join(characters), len(pieces), pieces[1].alignment.character_start_times_seconds[0]]


@case
def elevenlabs_transcription(headers):
    answer = elevenlabs_client.speech_to_text.convert(
        model_id="scribe_v3", file=("recording.wav", WAVE, "audio/wav"), language_code="en",
        timestamps_granularity="word", diarize=True, num_speakers=2, keyterms=["Moby", "Ahab"],
        request_options={"additional_headers": headers},
    )
    return [answer.text, answer.words[0].start, answer.words[0].speaker_id]


def main() -> int:
    failed = False
    for name, call in CASES.items():
        try:
            print(json.dumps({"case": name, "read": call({"x-case": name})}), flush=True)
        except Exception as problem:  # Each case is reported, also after another has failed.
            failed = True
            print(json.dumps({"case": name, "error": f"{type(problem).__name__}: {problem}"}), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
