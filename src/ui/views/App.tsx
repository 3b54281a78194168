import { Box, Text, useCursor } from "ink";
import { memo } from "react";

/** Rows as they are painted, by part, and the caret's place in them. Everything is decided before it comes here. */
export interface Painted {
  tail: readonly string[];
  tools: readonly string[];
  todo: readonly string[];
  queue: readonly string[];
  main: readonly string[];
  menu: readonly string[];
  status: readonly string[];
  caret: { x: number; y: number };
}

interface RowsProps {
  rows: readonly string[];
}

/** One text a row; an empty one keeps its height. */
const Rows = memo(function Rows({ rows }: RowsProps) {
  return rows.map((row, at) => (
    <Text key={at} wrap="truncate">
      {row === "" ? " " : row}
    </Text>
  ));
});

/** The region under the transcript, in the order of F-1. Draws, and decides nothing. */
export function App({ frame }: { frame: Painted }) {
  useCursor().setCursorPosition(frame.caret);
  return (
    <Box flexDirection="column">
      <Rows rows={frame.tail} />
      <Rows rows={frame.tools} />
      <Rows rows={frame.todo} />
      <Rows rows={frame.queue} />
      <Rows rows={frame.main} />
      <Rows rows={frame.menu} />
      <Rows rows={frame.status} />
    </Box>
  );
}
