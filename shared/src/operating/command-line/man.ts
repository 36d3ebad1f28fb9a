import type { CommandDescription, OptionDescription, ProgramDescription } from './description.ts'

/** Text that roff prints as it is: no escapes, no requests, and hyphens that can be copied. */
const literal = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll(/^(?=[.'])/gm, '\\&')

const flagOf = ({ name, short, value }: OptionDescription): string => {
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map((one) => `\\fB${literal(one)}\\fR`).join(', ')
  return value === undefined ? names : `${names} \\fI${literal(value)}\\fR`
}

const paragraph = (tag: string, text: string): string => `.TP\n${tag}\n${literal(text)}\n`

const callOf = (program: string, { name, parameters, options }: CommandDescription): string => {
  const values = parameters.map((parameter) => ` \\fI${literal(parameter)}\\fR`).join('')
  return `\\fB${literal(`${program} ${name}`)}\\fR${values}${options.length > 0 ? ' [options]' : ''}`
}

/** The man page of section 1, with a section per command, as roff with the macros of man(7). */
export function manPage(program: ProgramDescription): string {
  const { name, version, summary, commands, options, exitCodes, sections } = program
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "${literal(`${name} ${version}`)}" "Vedette"\n`,
    `.SH NAME\n${literal(name)} \\- ${literal(summary)}\n`,
    `.SH SYNOPSIS\n\\fB${literal(name)}\\fR \\fIcommand\\fR [options]\n`,
    '.SH COMMANDS\n',
    ...commands.map(
      (command) =>
        `.SS ${callOf(name, command)}\n${literal(sentence(command.summary))}\n` +
        command.options.map((option) => paragraph(flagOf(option), option.help)).join(''),
    ),
    `.SH OPTIONS\nOf every command:\n${options.map((option) => paragraph(flagOf(option), option.help)).join('')}`,
    ...sections.map(({ title, paragraphs }) => `.SH ${title}\n${paragraphs.map(literal).join('\n.PP\n')}\n`),
    `.SH EXIT STATUS\n${Object.entries(exitCodes)
      .map(([code, meaning]) => paragraph(`\\fB${code}\\fR`, meaning))
      .join('')}`,
  ].join('')
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
