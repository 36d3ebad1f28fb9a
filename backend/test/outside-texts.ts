/** Texts that somebody outside may choose: as the name of a host, a monitor, an organization or a channel. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'escape sequences': 'a\u001b[2J\u001b]0;owned\u0007b',
  'C1 controls': 'a\u009b31mb\u0085c',
  'line breaks': 'a\r\nBcc: eve@example.com\r\n\r\nb\u2028c\u2029d',
  'a backspace': 'ok\b\bno',
  'an override of direction': 'a\u202egpj.exe\u202c',
  'embeddings of direction': '\u202aa\u202bb\u202dc',
  'isolates of direction': '\u2066a\u2067b\u2068c\u2069',
  'marks of direction': '\u200ea\u200fb\u061cc',
  'Markdown that formats': '*a* _b_ ~c~ ~~d~~ `e` ||f|| **g** # h > i',
  'a Markdown link': '[free](https://evil.example.com) ![x](https://evil.example.com/a.png)',
  'mentions of Slack': '<!channel> <!here> <@U012AB3CD> <https://evil.example.com|free>',
  'mentions of Discord': '@everyone <@&1> <#2> <t:0:R>',
  'a backslash before markup': '\\*a\\* \\[b](c)',
  HTML: '<img src=x onerror=alert(1)> <b>"\'&amp;</b><!--',
  'a formula by =': '=HYPERLINK("https://evil.example.com","a")',
  'a formula by +': '+1+cmd|" /C calc"!A0',
  'a formula by -': '-2+3',
  'a formula by @': '@SUM(1)',
  'a formula after a tab': '\t=1',
  'a formula after a carriage return': '\r=1',
  'a quote and a comma': 'a","=1',
  '200 characters': 'x'.repeat(200),
  '200 characters of two units': '😀'.repeat(100),
  '200 characters of markup': '*_~`<&'.repeat(33),
}

/** Characters that steer a terminal or turn the text around them. */
export const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
