// What is the same in every row of the fixture.
export const given = {
  samples: Array(12).fill("of <b> him"),
  prompt: "the king",
  guesses: [4.5],
};
