// The terminal of a session: xterm.js over a WebSocket, with the protocol in the
// documentation of package page.
"use strict";

(() => {
  const section = document.querySelector(".session");
  if (!section || !section.dataset.socket || typeof Terminal !== "function") return;

  // The page's policy forbids inline styles, and xterm.js makes some. Those for a style
  // element go into an adopted style sheet, and those for a style attribute into
  // element.style, which scripts may change.
  const make = document.createElement.bind(document);
  document.createElement = (name, options) => {
    // The policy forbids even an empty style element.
    const element = make(name === "style" ? "meta" : name, options);
    if (name === "style") {
      const sheet = new CSSStyleSheet();
      document.adoptedStyleSheets.push(sheet);
      const text = {
        get: () => "",
        set: (css) => sheet.replaceSync(css),
      };
      Object.defineProperties(element, { textContent: text, innerText: text, sheet: { value: sheet } });
    } else if (name === "span") {
      element.setAttribute = (key, value) => {
        if (key === "style") element.style.cssText = value;
        else Element.prototype.setAttribute.call(element, key, value);
      };
    }
    return element;
  };

  const find = (selector) => section.querySelector(selector);
  const screen = find(".screen");
  const state = find(".state");
  const connect = find(".connect");
  for (const hidden of [find(".session-bar"), screen, find(".session-note")]) hidden.hidden = false;

  const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono").trim() || "monospace";
  // Eighty columns fit, unless letters would become too small to read: then the screen scrolls.
  const smallest = 11;
  const width = screen.clientWidth - 24;
  const size = Math.max(smallest, Math.min(15, Math.floor(width / 80 / 0.61)));
  const term = new Terminal({
    cols: 80,
    rows: 24,
    fontFamily: mono,
    fontSize: size,
    cursorBlink: false,
    scrollback: 5000,
    screenReaderMode: true,
    // Adjusts colours that are too close to the background.
    minimumContrastRatio: 4.5,
    theme: {
      background: "#0c0e10", foreground: "#e4e7ea", cursor: "#ef7a55", cursorAccent: "#0c0e10", selectionBackground: "#37506b",
      black: "#2b3137", red: "#f07a68", green: "#8bcf98", yellow: "#e3b55c", blue: "#8dbdf5", magenta: "#ea8fc4", cyan: "#79ccd0", white: "#cfd5da",
      brightBlack: "#7f8a94", brightRed: "#ff9c8c", brightGreen: "#a9e6b4", brightYellow: "#f5d08a", brightBlue: "#b4d5ff", brightMagenta: "#ffb3dd", brightCyan: "#a3e8ea", brightWhite: "#ffffff",
    },
  });
  term.open(screen);

  // fit sets as many columns and rows as there is room for, at least the 80 by 24 that
  // services expect. It returns whether they changed.
  const fit = () => {
    const drawn = screen.querySelector(".xterm-screen");
    if (!drawn || !drawn.clientWidth || section.dataset.scheme === "tn3270") return false;
    const cell = { width: drawn.clientWidth / term.cols, height: drawn.clientHeight / term.rows };
    const columns = Math.min(132, Math.max(80, Math.floor((screen.clientWidth - 32) / cell.width)));
    // On a phone, the keys below the screen need the room.
    const rows = innerWidth < 640 ? 24 : Math.min(50, Math.max(24, Math.floor((innerHeight - 400) / cell.height)));
    if (columns === term.cols && rows === term.rows) return false;
    term.resize(columns, rows);
    return true;
  };

  const encoder = new TextEncoder();
  let socket = null;
  let queue = []; // pieces of input that are not sent yet
  const piece = 8 << 10;

  const say = (name, text) => {
    section.dataset.state = name;
    state.textContent = text;
    // After the end there is no input.
    term.options.disableStdin = name !== "open";
    if (name === "ended") {
      queue = [];
      connect.textContent = "Reconnect";
    }
  };
  const isOpen = () => socket !== null && socket.readyState === WebSocket.OPEN && section.dataset.state === "open";
  const control = (value) => {
    if (isOpen()) socket.send(JSON.stringify(value));
  };

  // pump sends the queue as fast as the service reads it. A WebSocket has no event for a
  // buffer that was sent, so pump polls.
  let pumping = false;
  const pump = () => {
    pumping = false;
    while (isOpen() && queue.length > 0 && socket.bufferedAmount < 4 * piece) socket.send(queue.shift());
    if (isOpen() && queue.length > 0) {
      pumping = true;
      setTimeout(pump, 20);
    }
  };
  const send = (octets) => {
    if (!isOpen()) return;
    for (let at = 0; at < octets.length;) {
      let end = Math.min(at + piece, octets.length);
      // A CR LF is one key.
      if (end < octets.length && octets[end - 1] === 13 && octets[end] === 10) end++;
      queue.push(octets.slice(at, end));
      at = end;
    }
    if (!pumping) pump();
  };

  // typed sends input. The gateway forwards it, or edits and echoes the line, as the
  // service needs.
  const typed = (text) => send(encoder.encode(text));
  term.onData(typed);
  term.onBinary((octets) => send(Uint8Array.from(octets, (c) => c.charCodeAt(0) & 255)));
  term.onResize(({ cols, rows }) => control({ window: [cols, rows] }));
  term.attachCustomKeyEventHandler((e) => {
    // Leaves the screen without a mouse: all other keys belong to the service.
    if (e.type === "keydown" && e.ctrlKey && e.shiftKey && e.code === "KeyL") {
      e.preventDefault();
      connect.focus();
      return false;
    }
    return true;
  });
  addEventListener("resize", fit);

  // labels are the names of commands, for people.
  const labels = {
    attn: "Attn", sysreq: "SysReq", brk: "Break", ip: "Interrupt process", ao: "Abort output", ayt: "Are you there?", ec: "Erase character", el: "Erase line",
    eor: "End of record", ga: "Go ahead", nop: "No operation", crlf: "Enter sends CR LF", crnul: "Enter sends CR NUL", lf: "Send LF",
  };

  // button returns a button. A press with the mouse or a finger returns to the screen,
  // without opening the keyboard of a phone; one with a key stays at the button.
  const button = (label, press) => {
    const b = make("button");
    b.type = "button";
    b.textContent = label;
    b.addEventListener("click", (e) => {
      press();
      if (e.detail > 0 && matchMedia("(hover: hover)").matches) term.focus();
    });
    return b;
  };

  // handlers take the control messages.
  const handlers = {
    advice: ({ user = "", password = "" }) => {
      const place = find(".advice");
      const offer = (what, text, shown) => {
        if (text === "") return [];
        const press = make("button");
        press.type = "button";
        press.textContent = shown;
        press.title = "Type the " + what;
        press.setAttribute("aria-label", "Type the " + what + (what === "user" ? " " + text : ""));
        press.addEventListener("click", () => {
          typed(text);
          term.focus();
        });
        const label = make("span");
        label.textContent = what;
        return [label, press];
      };
      const parts = [...offer("user", user, user), ...offer("password", password, "••••••")];
      const lead = make("span");
      lead.textContent = "The URL suggests:";
      place.replaceChildren(lead, ...parts);
      place.hidden = parts.length === 0;
    },
    commands: (names) => {
      const buttons = (Array.isArray(names) ? names : []).map((name) => {
        const press = button(labels[name] ?? name, () => control({ command: name }));
        press.dataset.command = name;
        return press;
      });
      find(".commands").replaceChildren(...buttons);
      find(".sends").hidden = buttons.length === 0;
    },
    keys: (list) => {
      const buttons = (Array.isArray(list) ? list : []).map(({ label, input }) => button(label, () => typed(input)));
      const few = 16;
      find(".keys").replaceChildren(...buttons.slice(0, few));
      find(".more-keys .keys").replaceChildren(...buttons.slice(few));
      find(".keys").hidden = buttons.length === 0;
      find(".more-keys").hidden = buttons.length <= few;
    },
    status: (rows) => {
      const known = (Array.isArray(rows) ? rows : []).filter((r) => r.value !== "");
      find(".stands dl").replaceChildren(...known.map((r) => {
        const row = make("div");
        const name = make("dt");
        const value = make("dd");
        name.textContent = r.name;
        value.textContent = r.value;
        row.append(name, value);
        return row;
      }));
      find(".stands").hidden = known.length === 0;
    },
    end: (text) => say("ended", "Session ended" + (text ? ": " + text : "")),
    error: ({ message = "" }) => say("ended", "Connection failed: " + (message || "the gateway gave no reason")),
  };

  // closed returns why a connection ended if no message gave the reason.
  const closed = (wasOpen, { code, reason }) => {
    if (reason) return reason;
    if (!wasOpen) return "the gateway can't be reached, or refuses the connection: its log names the reason";
    if (code === 1006) return "the connection to the gateway is lost";
    return "the gateway closed the connection with status " + code;
  };

  const begin = () => {
    if (socket) socket.close();
    queue = [];
    term.reset();
    // A backspace moves back over the end of a wrapped line.
    term.write("\x1b[?45h");
    say("waiting", "Connecting …");
    connect.textContent = "Hang up";
    const address = new URL(section.dataset.socket, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const mine = new WebSocket(address, "locus.terminal.2");
    let wasOpen = false;
    socket = mine;
    mine.binaryType = "arraybuffer";
    mine.addEventListener("open", () => {
      wasOpen = true;
      if (mine !== socket) return;
      say("open", "Connected");
      if (!fit()) control({ window: [term.cols, term.rows] });
      term.focus();
    });
    mine.addEventListener("message", ({ data }) => {
      if (mine !== socket) return;
      if (typeof data !== "string") {
        term.write(new Uint8Array(data));
        return;
      }
      let message = {};
      try {
        message = JSON.parse(data);
      } catch {
        return;
      }
      for (const [key, value] of Object.entries(message)) {
        if (Object.hasOwn(handlers, key) && value !== null) handlers[key](value);
      }
    });
    mine.addEventListener("close", (e) => {
      if (mine !== socket || section.dataset.state === "ended") return;
      say("ended", (wasOpen ? "Session ended: " : "Connection failed: ") + closed(wasOpen, e));
    });
  };
  connect.addEventListener("click", () => {
    if (section.dataset.state === "ended") {
      begin();
      return;
    }
    say("ended", "Session ended: you disconnected");
    socket.close(1000, "hung up");
  });
  begin();
})();
