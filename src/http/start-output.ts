/**
 * Says what a start is busy with: in a terminal in one line that the next step, or whatever else is written, replaces.
 */
export function createStartOutput(output: Output, isTerminal: boolean): StartOutput {
  let isShown = false;
  const endStep = () => {
    if (isShown) output.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    step(text) {
      if (isTerminal) output.write(`${CLEAR_LINE}  ${text} …`);
      else output.write(`  ${text} …\n`);
      isShown = isTerminal;
    },
    endStep,
    write(text) {
      endStep();
      output.write(text);
    },
  };
}

const CLEAR_LINE = '\r\u001b[2K';

interface Output {
  write(text: string): unknown;
}

export interface StartOutput extends Output {
  step(text: string): void;
  /** Leaves the line empty, for what others write. */
  endStep(): void;
}
