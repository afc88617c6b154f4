package main

// The protocol: JSON-RPC 2.0, one message a line, on standard input and output.
// The types are those of stdio.schema.json, which documents every field.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
)

const protocolVersion = 1

// A Document is JSON that stays as it was written: numbers of any size survive.
type Document = json.RawMessage

type Info struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
	Kind     string `json:"kind"`
	Homepage string `json:"homepage,omitempty"`
	Issues   string `json:"issues,omitempty"`
	// Providers holds, for each provider, the capabilities that the adapter claims there.
	Providers map[string][]string `json:"providers"`
	// Streams and Tells say that streams are fed chunk by chunk, and that there is news of them.
	Streams bool `json:"streams"`
	Tells   bool `json:"tells"`
}

type Tool struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Parameters  *Document `json:"parameters"`
	Strict      *bool     `json:"strict"`
	MCP         *struct {
		Server string `json:"server"`
		Tool   string `json:"tool"`
	} `json:"mcp"`
	Builtin *string `json:"builtin"`
}

type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// ArgumentsJSON is the exact text of the arguments. It counts before "arguments", which this adapter leaves out.
	ArgumentsJSON *string `json:"arguments_json,omitempty"`
	Raw           *string `json:"raw,omitempty"`
	Invalid       bool    `json:"invalid,omitempty"`
	// Sent is the text of the arguments as the provider sent it.
	Sent *string `json:"sent,omitempty"`
}

// News is something to tell while a stream is open.
type News struct {
	Kind string `json:"kind"` // thinking, text, call, arguments, call_end or end
	Text string `json:"text,omitempty"`
	Call int    `json:"call,omitempty"` // the number of the call, from 0
}

type Part struct {
	Type      string `json:"type"` // text, json or image
	Text      string `json:"text"`
	ValueJSON string `json:"value_json"`
	MediaType string `json:"media_type"`
	Data      *Bytes `json:"data"`
}

type Result struct {
	CallID  string `json:"call_id"`
	Name    string `json:"name"`
	Content []Part `json:"content"`
	IsError bool   `json:"is_error"`
}

type ProviderError struct {
	Message    string   `json:"message"`
	Status     *int     `json:"status,omitempty"`
	Type       *string  `json:"type,omitempty"`
	Retryable  *bool    `json:"retryable,omitempty"`
	RetryAfter *float64 `json:"retry_after,omitempty"`
}

type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

type AssistantTurn struct {
	Text    string         `json:"text,omitempty"`
	Calls   []Call         `json:"calls,omitempty"`
	Stop    string         `json:"stop,omitempty"`
	Refusal *string        `json:"refusal,omitempty"`
	Usage   *Usage         `json:"usage,omitempty"`
	Error   *ProviderError `json:"error,omitempty"`
	// Opaque is whatever the adapter must get back verbatim on the next turn.
	Opaque map[string]Document `json:"opaque,omitempty"`
}

// A Turn is of one of four types: user (Text), assistant, results (Results) or decisions.
type Turn struct {
	Type string `json:"type"`
	AssistantTurn
	Results   []Result `json:"results"`
	Decisions []struct {
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		Accept bool   `json:"accept"`
	} `json:"decisions"`
}

type Conversation struct {
	Turns  []Turn `json:"turns"`
	Tools  []Tool `json:"tools"`
	Choice struct {
		Mode     string  `json:"mode"` // auto, none, required or tool
		Name     *string `json:"name"`
		Parallel *bool   `json:"parallel"`
	} `json:"choice"`
	System    *string `json:"system"`
	Model     string  `json:"model"`
	MaxTokens int     `json:"max_tokens"`
	Reasoning bool    `json:"reasoning"`
	Caching   bool    `json:"caching"`
	// OutputJSON is the JSON Schema that the answer must fit.
	OutputJSON *string `json:"output_json"`
	Profile   string  `json:"profile"` // portable or native
}

// Bytes are base64 in JSON, which encoding/json does by itself.
type Bytes struct {
	Base64 []byte `json:"base64"`
}

type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    Bytes             `json:"body"`
}

type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    Bytes             `json:"body"`
}

type Translator interface {
	Info() Info
	BuildRequest(provider string, conversation Conversation, stream bool) (Request, error)
	ParseResponse(provider string, response Response, conversation Conversation) (AssistantTurn, error)
	OpenStream(provider string, conversation Conversation) (OpenStream, error)
}

// An OpenStream is read as it comes. Others may be open at the same time.
type OpenStream interface {
	// Feed takes a chunk, cut anywhere, and tells what it brings.
	Feed(chunk []byte) ([]News, error)
	// End says that no more comes; lost, that the connection broke. It tells the rest, and the turn.
	End(lost bool) ([]News, AssistantTurn, error)
}

type message struct {
	ID     Document `json:"id"`
	Method string   `json:"method"`
	Params struct {
		Provider     string       `json:"provider"`
		Conversation Conversation `json:"conversation"`
		Stream       Document     `json:"stream"` // whether to stream, or the number of a stream
		Response     Response     `json:"response"`
		Chunks       [][]byte     `json:"chunks"`
		Chunk        []byte       `json:"chunk"`
		Lost         bool         `json:"lost"`
	} `json:"params"`
}

type answer struct {
	Version string   `json:"jsonrpc"`
	ID      Document `json:"id"`
	Result  *any     `json:"result,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

type failure struct {
	Code    int               `json:"code"`
	Message string            `json:"message"`
	Data    map[string]string `json:"data,omitempty"`
}

// Serve answers requests until shutdown, or until the input ends.
func Serve(adapter Translator, input io.Reader, output io.Writer) error {
	lines := bufio.NewReaderSize(input, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			return fmt.Errorf("the harness wrote what this adapter cannot read: %w", err)
		}
		if err := reply(output, respond(adapter, asked)); err != nil {
			return err
		}
		if asked.Method == "shutdown" {
			return nil
		}
	}
}

func reply(output io.Writer, said answer) error {
	line, err := compact(said)
	if err != nil {
		return err
	}
	_, err = output.Write(append(line, '\n'))
	return err
}

func respond(adapter Translator, asked message) (said answer) {
	said = answer{Version: "2.0", ID: asked.ID}
	defer func() {
		if problem := recover(); problem != nil {
			detail := map[string]string{"detail": string(debug.Stack())}
			said.Result, said.Error = nil, &failure{-32000, fmt.Sprintf("panic: %v", problem), detail}
		}
	}()
	var result any
	var err error
	params := asked.Params
	switch asked.Method {
	case "initialize":
		result = map[string]any{"protocol": protocolVersion, "adapter": adapter.Info()}
	case "build_request":
		result, err = adapter.BuildRequest(params.Provider, params.Conversation, string(params.Stream) == "true")
	case "parse_response":
		result, err = adapter.ParseResponse(params.Provider, params.Response, params.Conversation)
	case "parse_stream":
		result, err = parseStream(adapter, params.Provider, params.Chunks, params.Conversation)
	case "open_stream":
		open[string(params.Stream)], err = adapter.OpenStream(params.Provider, params.Conversation)
	case "feed":
		var news []News
		news, err = open[string(params.Stream)].Feed(params.Chunk)
		result = map[string]any{"news": news}
	case "end_stream":
		var news []News
		var turn AssistantTurn
		news, turn, err = open[string(params.Stream)].End(params.Lost)
		result = map[string]any{"news": news, "turn": turn}
	case "shutdown":
	default:
		said.Error = &failure{Code: -32601, Message: "there is no method " + asked.Method}
		return said
	}
	if err != nil {
		said.Error = &failure{Code: -32000, Message: err.Error()}
		return said
	}
	said.Result = &result
	return said
}

// open holds the streams that are open, by their numbers.
var open = map[string]OpenStream{}

// parseStream is the turn in a stream that came as a whole.
func parseStream(
	adapter Translator, provider string, chunks [][]byte, conversation Conversation,
) (AssistantTurn, error) {
	stream, err := adapter.OpenStream(provider, conversation)
	if err != nil {
		return AssistantTurn{}, err
	}
	for _, chunk := range chunks {
		if _, err := stream.Feed(chunk); err != nil {
			return AssistantTurn{}, err
		}
	}
	_, turn, err := stream.End(false)
	return turn, err
}

// compact is JSON on one line, with "<", ">" and "&" as they are.
func compact(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(text.Bytes(), "\n"), err
}
