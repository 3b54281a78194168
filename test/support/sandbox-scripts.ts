/** Makes the folder that the scripts work on. Plain files, odd names, links, modes, and a git repository where git is there. */
export const FIXTURE = String.raw`
mkdir -p src/deep/er lib many sec
for n in 1 2 3 4 5 6 7 8 9; do echo "line $n" > "many/f$n"; done
printf 'hello\nworld\n' > src/a.txt; echo b > src/b.txt; echo deep > src/deep/er/x; printf 'x' > lib/one; : > empty
ln -s src/a.txt link; ln -s /nonexistent/target dangling; ln -s src dirlink
echo '#!/bin/sh' > run.sh; chmod 755 run.sh
echo h > hard1; ln hard1 hard2
echo 'with space' > 'a b'; echo nl > $'new\nline'; echo q > $'quo"te'; echo dash > ./-dash; echo star > '*'; echo bad > $'bad\xff\xfename'; echo tab > $'t\tb'
echo s > sec/inside; chmod 700 sec
mkdir locked; echo l > locked/f; chmod 000 locked
head -c 100000 /dev/zero > big; mkfifo queue
if command -v git >/dev/null; then git init -q -b main repo; (cd repo; git config user.email a@b.c; git config user.name n; echo 1 > t; mkdir d; echo 2 > d/u; git add .; GIT_AUTHOR_DATE=@1000000000\ +0000 GIT_COMMITTER_DATE=@1000000000\ +0000 git commit -qm one); fi
`;

/** Kinds of commands of SANDBOX 7; each run plain and in the copy must come to the same tree. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  append: "echo more >> src/a.txt",
  "new file": "echo new > src/new.txt",
  "new tree": "mkdir -p x/y/z && echo 1 > x/y/z/f && echo 2 > x/g",
  "delete a file": "rm src/a.txt",
  "delete a folder": "rm -rf src",
  "delete everything": "chmod 700 locked; rm -rf -- * .[a-z]*",
  "find -delete": "find many -name 'f[1-5]' -delete",
  "folder removed and made anew": "rm -r many; mkdir many; echo other > many/f1",
  "folder made anew with equal content": "cp -a lib /tmp/lib && rm -r lib && cp -a /tmp/lib lib && rm -rf /tmp/lib",
  "nested folder made anew": "rm -r src; mkdir -p src/deep; echo n > src/deep/n",
  "mv of a file": "mv src/a.txt src/c.txt",
  "mv of a folder": "mv src moved",
  "mv over a file": "mv src/b.txt src/a.txt",
  "rename in a loop": 'for f in many/*; do mv "$f" "$f.txt"; done',
  "sed -i": "sed -i s/line/row/ many/*",
  "file to folder": "rm src/a.txt; mkdir src/a.txt; echo in > src/a.txt/in",
  "folder to file": "rm -r many; echo file > many",
  "file to link": "rm src/a.txt; ln -s b.txt src/a.txt",
  "link to file": "rm link; echo real > link",
  "folder to link": "rm -r lib; ln -s src lib",
  "link target changed": "ln -sfn src/b.txt link; ln -sfn lib dirlink",
  "new links": "ln -s ../up up; ln -s /etc/hostname abs; ln -s nowhere gone",
  "write through a link": "echo through >> link; echo t > dirlink/t",
  "new hard links": "echo n > n1; ln n1 n2",
  fifo: "mkfifo pipe $'p\\xff\\n'; mkdir q; mkfifo -m 400 q/p; chmod 600 queue",
  "fifo gone": "rm queue; mkdir queue",
  socket:
    "python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.bind(\"sock\")' 2>/dev/null || perl -MSocket -e 'socket(my $s,PF_UNIX,SOCK_STREAM,0); bind($s,pack_sockaddr_un(\"sock\"))'",
  chmod: "chmod 600 src/a.txt; chmod 4755 run.sh; chmod 1777 lib; chmod +x src/b.txt",
  "chmod -R": "chmod -R go-rwx src many",
  "mode of the folder itself": "chmod 750 .; echo n > n; chmod 555 .; echo more >> empty; echo no > no",
  "the folder itself closed, mode 000": "chmod 000 .; echo n > n; ls",
  "made and then closed, mode 000": "echo n > n; rm empty; chmod 000 .",
  "mode 000 file": "chmod 000 src/a.txt; echo x > z; chmod 000 z",
  "mode 000 folders": "chmod 000 sec; mkdir m; echo q > m/q; chmod 000 m",
  "into a locked folder": "chmod 700 locked; echo n > locked/n; rm locked/f; chmod 000 locked",
  "sparse file": "truncate -s 50M sparse",
  truncate: ": > src/a.txt; truncate -s 10 big",
  "same size, same time":
    "touch -r src/b.txt /tmp/ref; printf 'B\\n' > src/b.txt; touch -r /tmp/ref src/b.txt; rm /tmp/ref",
  touch: "touch src/a.txt many/*; touch -d @1 lib/one",
  "rewritten with equal bytes": "cat src/a.txt > /tmp/eq; cat /tmp/eq > src/a.txt; rm /tmp/eq",
  "odd names":
    "rm -- -dash '*' $'new\\nline'; echo 2 > $'bad\\xff\\xfename'; mv 'a b' $'c\\xfed'; mkdir $'di\\nr'; echo 1 > $'di\\nr/f'; echo x > $'quo\"te'",
  "case change": "mv src/a.txt src/A.txt",
  "long names": "n=$(printf 'x%.0s' $(seq 240)); mkdir -p $n/$n/$n/$n && echo deep > $n/$n/$n/$n/f",
  "created and deleted": "echo t > t; rm t; mkdir u; rmdir u",
  "many files": "mkdir lots; for i in $(seq 300); do echo $i > lots/$i; done; rm -r many",
  // Times of folders and the order that a file system lists names in are no part of what is compared.
  archive: "tar --mtime=@1 --sort=name -cf a.tar src && rm -r src && tar xf a.tar",
  "git commit":
    "cd repo; echo 3 >> t; git add t; GIT_AUTHOR_DATE=@1000000001\\ +0000 GIT_COMMITTER_DATE=@1000000001\\ +0000 git commit -qm two",
  "git branch": "cd repo; GIT_COMMITTER_DATE=@1000000001\\ +0000 git branch side",
  "git checkout": "cd repo; rm t; git checkout -q -- t",
  "git status": "cd repo; git status >/dev/null; git log >/dev/null; git diff >/dev/null",
  "git rm": "cd repo; git rm -q t; git rm -rq d",
  "build output":
    "mkdir -p node_modules/a/b dist; echo 1 > node_modules/a/b/i.js; echo 2 > dist/o.js; ln -s ../a/b/i.js node_modules/a/l",
};
