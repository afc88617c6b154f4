"""The gateway's own API, "unified": content blocks, explicit call ids, and decisions about calls.

The seed document ``004`` gives the messages, the calls and the decisions of this API. It says nothing about the rest,
so the rest is defined here: this docstring is the specification.

Request
    ``POST https://gateway.example/v1/conversations`` with ``Authorization: Bearer KEY`` and the JSON object::

        {model, input, tools?, tool_choice?, parallel_tool_calls?, max_tokens?, reasoning?, stream?, conversation_id?}

    ``input`` is a list of items of two kinds. ``type`` may be left out of a message.

    - a message, ``{type: "message", role, content, tool_calls?, tool_call_id?, is_error?}``: ``role`` is ``system``,
      ``user``, ``assistant`` or ``tool``; ``content`` is a list of blocks, or a string, which means one text block
    - a decision, ``{type: "tool_decision", tool_call_id, decision}`` with ``accept`` or ``reject``

    A block is ``{type: "text", text}``; in an assistant message also ``{type: "refusal", text}`` and
    ``{type: "reasoning", text, signature}``, which comes first and must be sent back as it was received; in a tool
    message also ``{type: "image", media_type, data}`` with ``data`` in base64.

    A call is ``{id, name, args, type: "tool_call"}`` with ``args`` an object; ``type`` may be left out, and ``args``
    may be the object's JSON text. ``is_error: true`` marks the result of a tool that failed.

    A tool is ``{name, description, parameters}``. ``tool_choice`` is ``"auto"`` (the default), ``"none"``,
    ``"required"`` or ``{name}``; ``parallel_tool_calls: false`` allows one call a turn; ``reasoning: true`` asks for
    reasoning blocks. With ``conversation_id`` the gateway puts what it has kept before ``input``.

Correlation
    A tool message answers the call that its ``tool_call_id`` names, in any order. Tool messages without one are
    accepted, and answer the calls of the assistant message before them by order (see `correlate`). Whoever sends should
    send ids: where a call came without one, its reader makes one up and writes it on both sides.

Decisions
    ``accept`` lets a call run: its result follows as a tool message. ``reject`` is the answer to its call: no tool
    message follows, and the gateway tells the model, as the result of a failed tool, `REJECTED`.

Response
    ::

        {id, model, output: [message], stop_reason, usage: {input_tokens, output_tokens}}

    ``output`` holds one assistant message as above. ``stop_reason`` is ``tool_calls``, ``end``, ``length``, ``pause``
    (call again with the same turn) or ``refusal``; pending calls count by their presence.

Stream
    Server-sent events; ``type`` in the data repeats the event's name. ``index`` is the position of a call::

        message.start    {id, model}
        reasoning.delta  {text}         reasoning.end    {signature}
        text.delta       {text}         refusal.delta    {text}
        tool_call.start  {index, id, name}
        tool_call.delta  {index, args}                           a fragment of the JSON text of the arguments
        tool_call.end    {index}
        message.end      {stop_reason, usage}                    the terminal marker
        error            {error: {type, message, status}}        ends the stream, too

    Events of different calls may alternate. Unknown events, blocks and fields are to be ignored.

Errors
    ``{error: {type, message, status}}`` with the HTTP status in ``status``. ``type`` is ``invalid_request_error``,
    ``authentication_error``, ``rate_limit_error``, ``server_error`` or ``overloaded_error``.

Oddities that older gateways show (`quirks` on its card): calls without ids (``missing_ids``), ``args`` as JSON text
(``arguments_object``), ``content`` of an answer as a plain string (``content_empty``; an answer with a refusal or with
reasoning needs blocks and keeps them).
"""
