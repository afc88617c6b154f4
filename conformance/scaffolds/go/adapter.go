package main

// An adapter for OpenAI Chat Completions: make it yours.
// What it does not do yet is not declared in Info, and reported as unsupported.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

const url = "https://api.openai.com/v1/chat/completions"

// Adapter is what "conformance run" talks to.
type Adapter struct{}

// Info says who the adapter is and what it can do.
func (Adapter) Info() Info {
	return Info{
		Name: "{{name}}", Version: "0.1.0", Language: "go", Kind: "translator",
		Providers: map[string][]string{"openai-chat": {
			"blocking", "streaming", "parallel_calls", "tool_choice", "parallel_switch", "json_results",
			"error_results", "errors",
		}},
		Streams: true, Tells: true,
	}
}

type object = map[string]any

// BuildRequest is the request that continues the conversation.
func (Adapter) BuildRequest(provider string, conversation Conversation, stream bool) (Request, error) {
	body := object{
		"model":                 conversation.Model,
		"messages":              messages(conversation),
		"max_completion_tokens": conversation.MaxTokens,
	}
	if len(conversation.Tools) > 0 {
		tools := []any{}
		for _, tool := range conversation.Tools {
			tools = append(tools, toolDeclaration(tool))
		}
		body["tools"] = tools
		addToolChoice(body, conversation)
	}
	if stream {
		body["stream"] = true
		body["stream_options"] = object{"include_usage": true}
	}
	text, err := compact(body)
	headers := map[string]string{"content-type": "application/json", "authorization": "Bearer test-key"}
	return Request{Method: "POST", URL: url, Headers: headers, Body: Bytes{text}}, err
}

type completion struct {
	Choices []struct {
		Message struct {
			Content      Document   `json:"content"`
			ToolCalls    []fragment `json:"tool_calls"`
			FunctionCall *function  `json:"function_call"`
		} `json:"message"`
		Delta struct {
			Content      string     `json:"content"`
			ToolCalls    []fragment `json:"tool_calls"`
			FunctionCall *function  `json:"function_call"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
	Error *reported `json:"error"`
}

type reported struct {
	Message string  `json:"message"`
	Type    *string `json:"type"`
	Code    *string `json:"code"`
}

// A fragment is a call, or a piece of one in a stream.
type fragment struct {
	Index    *int      `json:"index"`
	ID       string    `json:"id"`
	Function *function `json:"function"`
	Extra    Document  `json:"extra_content"`
}

type function struct {
	Name      string   `json:"name"`
	Arguments Document `json:"arguments"`
}

// text is the arguments as JSON text: hosts send text, an object, null or nothing.
func (f function) text() string {
	var text string
	if len(f.Arguments) == 0 || json.Unmarshal(f.Arguments, &text) == nil {
		return text
	}
	return string(f.Arguments)
}

// ParseResponse is the turn in a complete response, HTTP errors included.
func (Adapter) ParseResponse(provider string, response Response, conversation Conversation) (AssistantTurn, error) {
	var body completion
	err := json.Unmarshal(response.Body.Base64, &body)
	if response.Status >= 400 || err != nil || len(body.Choices) == 0 {
		return AssistantTurn{Stop: "error", Error: httpFailure(response, body.Error)}, nil
	}
	choice := body.Choices[0]
	calls := choice.Message.ToolCalls
	if legacy := choice.Message.FunctionCall; len(calls) == 0 && legacy != nil && legacy.Name != "" {
		calls = []fragment{{Function: legacy}}
	}
	return turn(messageText(choice.Message.Content), calls, choice.FinishReason, body, conversation), nil
}

// OpenStream is a stream, to be read as it comes.
func (Adapter) OpenStream(provider string, conversation Conversation) (OpenStream, error) {
	return &stream{conversation: conversation}, nil
}

// --- building ---

// toolDeclaration is a tool as the provider wants it declared: an object's schema, or none at all.
func toolDeclaration(tool Tool) object {
	declared := object{"name": tool.Name, "description": tool.Description}
	if tool.Parameters != nil {
		declared["parameters"] = objectSchema(*tool.Parameters)
	}
	return object{"type": "function", "function": declared}
}

// objectSchema is the schema as it was written, with its type where that is missing.
func objectSchema(schema Document) Document {
	var fields map[string]Document
	if json.Unmarshal(schema, &fields) != nil || fields["type"] != nil {
		return schema
	}
	rest := bytes.TrimLeft(bytes.TrimSpace(schema)[1:], " ")
	if len(fields) > 0 {
		rest = append([]byte(","), rest...)
	}
	return append([]byte(`{"type":"object"`), rest...)
}

// addToolChoice says whether the model must, may or must not call tools.
func addToolChoice(body object, conversation Conversation) {
	choice := conversation.Choice
	if choice.Mode == "tool" {
		body["tool_choice"] = object{"type": "function", "function": object{"name": choice.Name}}
	} else if choice.Mode != "auto" {
		body["tool_choice"] = choice.Mode
	}
	if choice.Parallel != nil {
		body["parallel_tool_calls"] = *choice.Parallel
	}
}

// messages is the conversation. Results follow in the order of the calls, whatever tool finished first.
func messages(conversation Conversation) []any {
	all := []any{}
	if conversation.System != nil {
		all = append(all, object{"role": "system", "content": *conversation.System})
	}
	order := map[string]int{}
	for _, turn := range conversation.Turns {
		switch turn.Type {
		case "user":
			all = append(all, object{"role": "user", "content": turn.Text})
		case "assistant":
			order = map[string]int{}
			for place, call := range turn.Calls {
				order[call.ID] = place
			}
			all = append(all, assistantMessage(turn.AssistantTurn))
		case "results":
			results := append([]Result{}, turn.Results...)
			sort.SliceStable(results, func(a, b int) bool { return order[results[a].CallID] < order[results[b].CallID] })
			for _, result := range results {
				all = append(all, object{"role": "tool", "tool_call_id": result.CallID, "content": resultText(result)})
			}
		}
	}
	return all
}

// assistantMessage is an assistant turn as it is replayed.
func assistantMessage(turn AssistantTurn) object {
	message := object{"role": "assistant", "content": turn.Text}
	if len(turn.Calls) == 0 {
		return message
	}
	if turn.Text == "" {
		message["content"] = nil
	}
	calls := []any{}
	for _, call := range turn.Calls {
		calls = append(calls, replayed(call, turn.Opaque))
	}
	message["tool_calls"] = calls
	return message
}

// replayed is a call as it came, with what the host had added to it.
func replayed(call Call, extras map[string]Document) object {
	text := call.ArgumentsJSON
	if text == nil {
		wrapped := asText(object{"invalid_arguments": value(call.Raw)})
		text = &wrapped
	}
	replay := object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": *text}}
	if extra, found := extras[call.ID]; found {
		replay["extra_content"] = extra
	}
	return replay
}

// resultText is a result as text. The format has no mark for failures, so they are told in words.
func resultText(result Result) string {
	parts := []string{}
	for _, part := range result.Content {
		switch part.Type {
		case "text":
			parts = append(parts, part.Text)
		case "json":
			parts = append(parts, part.ValueJSON)
		case "image":
			parts = append(parts, fmt.Sprintf("Binary content of type %s was processed.", part.MediaType))
		}
	}
	text := strings.Join(parts, "\n")
	if result.IsError {
		return asText(object{"error": text})
	}
	return text
}

func asText(value any) string {
	text, _ := compact(value)
	return string(text)
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// --- reading ---

// stops is what a turn ends with, where it says more than its calls do. The last two are words of our own.
var stops = map[string]string{
	"length": "length", "content_filter": "refusal", "incomplete": "incomplete", "error": "error",
}

// turn is what a message amounts to. The presence of calls counts: finish reasons may lie.
func turn(text string, sent []fragment, finish string, body completion, conversation Conversation) AssistantTurn {
	whole := finish != "incomplete" && finish != "error"
	calls, extras := toolCalls(sent, conversation, whole)
	read := AssistantTurn{Text: text, Calls: calls, Stop: stops[finish], Opaque: extras}
	if read.Stop == "" {
		read.Stop = "end"
		if len(calls) > 0 {
			read.Stop = "tool_calls"
		}
	}
	if body.Usage != nil {
		read.Usage = &Usage{body.Usage.PromptTokens, body.Usage.CompletionTokens}
	}
	return read
}

// messageText is the text of a message's content, which may be a list of parts.
func messageText(content Document) string {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, part := range parts {
		text += part.Text
	}
	return text
}

// toolCalls are the calls, each with an id that is new in the conversation, and what hosts added to them.
func toolCalls(sent []fragment, conversation Conversation, whole bool) ([]Call, map[string]Document) {
	taken := map[string]bool{}
	for _, turn := range conversation.Turns {
		for _, call := range turn.Calls {
			taken[call.ID] = true
		}
	}
	calls, extras := []Call{}, map[string]Document{}
	for _, item := range sent {
		if item.Function == nil {
			continue
		}
		id := item.ID
		for number := 0; id == "" || id == "null" || taken[id]; number++ {
			id = "call_" + strconv.Itoa(number)
		}
		taken[id] = true
		calls = append(calls, toolCall(id, *item.Function, whole))
		if len(item.Extra) > 0 {
			extras[id] = item.Extra
		}
	}
	return calls, extras
}

// toolCall is a call. Arguments that are no object make it invalid, and so do missing ones when the stream was cut.
func toolCall(id string, called function, whole bool) Call {
	text := called.text()
	sent := text
	if trimmed := strings.TrimSpace(text); whole && (trimmed == "" || trimmed == "null") {
		text = "{}"
	}
	// The text goes on as it is: nothing of it is lost.
	if isObject(text) {
		return Call{ID: id, Name: called.Name, ArgumentsJSON: &text, Sent: &sent}
	}
	return Call{ID: id, Name: called.Name, Raw: &text, Invalid: true, Sent: &sent}
}

func isObject(text string) bool {
	var fields map[string]Document
	return json.Unmarshal([]byte(text), &fields) == nil && fields != nil
}

// httpFailure is what an error response says.
func httpFailure(response Response, said *reported) *ProviderError {
	passing := response.Status == 408 || response.Status == 409 || response.Status == 429 || response.Status >= 500
	found := ProviderError{Message: string(response.Body.Base64), Status: &response.Status, Retryable: &passing}
	if said != nil && said.Message != "" {
		found.Message, found.Type = said.Message, said.Type
	}
	for name, header := range response.Headers {
		if seconds, err := strconv.ParseFloat(header, 64); err == nil && strings.EqualFold(name, "retry-after") {
			found.RetryAfter = &seconds
		}
	}
	return &found
}

// retryable is whether trying again may help, of an error inside a stream.
func retryable(said *reported) *bool {
	words := value(said.Type) + " " + value(said.Code)
	if words == " " {
		return nil
	}
	passing := false
	for _, word := range []string{"server_error", "rate_limit_exceeded", "requests", "overloaded_error"} {
		passing = passing || value(said.Type) == word || value(said.Code) == word
	}
	return &passing
}

// A stream, as far as it has come.
type stream struct {
	conversation  Conversation
	events        events
	calls         pendingCalls
	text          strings.Builder
	finish        string
	done, damaged bool
	all           completion
}

// Feed takes a chunk, however it is cut, and tells what it brings.
func (s *stream) Feed(chunk []byte) ([]News, error) {
	return s.take(s.events.feed(chunk)), nil
}

// End takes what is left when nothing more comes.
func (s *stream) End(lost bool) ([]News, AssistantTurn, error) {
	news, read := s.take(s.events.end()), s.turn()
	return append(news, News{Kind: "end", Text: read.Stop}), read, nil
}

// turn is the turn so far.
func (s *stream) turn() AssistantTurn {
	if said := s.all.Error; said != nil {
		read := turn(s.text.String(), s.calls.sent(), "error", s.all, s.conversation)
		read.Error = &ProviderError{Message: said.Message, Type: said.Type, Retryable: retryable(said)}
		return read
	}
	finish := s.finish
	if s.damaged || !s.done && finish == "" {
		finish = "incomplete"
	}
	return turn(s.text.String(), s.calls.sent(), finish, s.all, s.conversation)
}

func (s *stream) take(all []string) []News {
	news := []News{}
	for _, data := range all {
		news = append(news, s.takeOne(data)...)
	}
	return news
}

func (s *stream) takeOne(data string) (news []News) {
	if strings.TrimSpace(data) == "[DONE]" {
		s.done = true
		return nil
	}
	var chunk completion
	if json.Unmarshal([]byte(data), &chunk) != nil {
		s.damaged = true // nobody knows what was in it
		return nil
	}
	if chunk.Error != nil {
		s.all.Error = chunk.Error
	}
	if chunk.Usage != nil {
		s.all.Usage = chunk.Usage
	}
	first := 0
	for _, choice := range chunk.Choices {
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
		if choice.Delta.Content != "" {
			s.text.WriteString(choice.Delta.Content)
			news = append(news, News{Kind: "text", Text: choice.Delta.Content})
		}
		for _, piece := range choice.Delta.ToolCalls {
			news = append(news, s.calls.add(piece)...)
		}
		if choice.Delta.FunctionCall != nil {
			news = append(news, s.calls.add(fragment{Index: &first, Function: choice.Delta.FunctionCall})...)
		}
	}
	return news
}

// events are the data of server-sent events, as they come: lines may end in CR, LF or both, and one event may have many.
type events struct {
	rest        []byte
	begun       bool
	afterReturn bool
	data        []string
}

// feed is the events that a chunk ends.
func (e *events) feed(chunk []byte) (all []string) {
	for _, letter := range chunk {
		if letter == '\n' && e.afterReturn {
			e.afterReturn = false
			continue
		}
		e.afterReturn = letter == '\r'
		if letter == '\r' || letter == '\n' {
			all = append(all, e.line()...)
		} else {
			e.rest = append(e.rest, letter)
		}
	}
	return all
}

// end is the event that was not ended.
func (e *events) end() []string {
	return append(e.line(), e.line()...)
}

// line takes the line that came, and is the event that it ends.
func (e *events) line() []string {
	text := strings.ToValidUTF8(string(e.rest), "\ufffd")
	if !e.begun {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	e.rest, e.begun = nil, true
	if rest, found := strings.CutPrefix(text, "data:"); found {
		e.data = append(e.data, strings.TrimPrefix(rest, " "))
	} else if text == "" && len(e.data) > 0 {
		event := strings.Join(e.data, "\n")
		e.data = nil
		return []string{event}
	}
	return nil
}

type pending struct {
	id, name, arguments string
	extra               Document
	told                bool // whether it was told that it begins
}

// pendingCalls puts the fragments of calls together. Hosts differ in what they leave out and what they repeat.
type pendingCalls struct {
	calls   []*pending
	byIndex map[int]*pending
}

// sent are the calls as a complete message holds them.
func (p *pendingCalls) sent() []fragment {
	all := []fragment{}
	for _, call := range p.calls {
		text, _ := compact(call.arguments)
		all = append(all, fragment{ID: call.id, Function: &function{call.name, text}, Extra: call.extra})
	}
	return all
}

// add takes a fragment, and tells what it brings: of a call whose tool is known, its beginning and its arguments.
func (p *pendingCalls) add(piece fragment) (news []News) {
	var called function
	if piece.Function != nil {
		called = *piece.Function
	}
	text := called.text()
	call := p.of(piece, called.Name, text)
	if call.id == "" {
		call.id = piece.ID
	}
	if call.name == "" {
		call.name = called.Name
	}
	if len(call.extra) == 0 {
		call.extra = piece.Extra
	}
	call.arguments += text
	place := 0
	for p.calls[place] != call {
		place++
	}
	if call.name != "" && !call.told {
		call.told, text = true, call.arguments
		news = append(news, News{Kind: "call", Text: call.name, Call: place})
	}
	if text != "" && call.told {
		news = append(news, News{Kind: "arguments", Text: text, Call: place})
	}
	return news
}

// of is the call that a fragment belongs to: that of its index, else that of its id, else the last one.
func (p *pendingCalls) of(piece fragment, name, text string) *pending {
	var known *pending
	if piece.Index != nil {
		known = p.byIndex[*piece.Index]
	} else if len(p.calls) > 0 {
		known = p.calls[len(p.calls)-1]
		for _, call := range p.calls {
			if piece.ID != "" && call.id == piece.ID {
				known = call
				break
			}
		}
	}
	if known == nil || beginsAnother(known, piece, name, text) {
		known = &pending{}
		p.calls = append(p.calls, known)
	}
	if piece.Index != nil {
		if p.byIndex == nil {
			p.byIndex = map[int]*pending{}
		}
		p.byIndex[*piece.Index] = known
	}
	return known
}

// beginsAnother is whether a fragment opens a new call, although there is one where it would belong.
func beginsAnother(known *pending, piece fragment, name, text string) bool {
	if name == "" || known.name == "" {
		return false
	}
	if piece.ID != "" && known.id != "" {
		return piece.ID != known.id
	}
	if isObject(known.arguments) && (strings.TrimSpace(text) != "" || piece.Index == nil) {
		return true
	}
	return piece.Index == nil && name != known.name
}
